/* The root image.
 *
 * EROFS is made from the staged directory by mkfs.erofs (all files to root, one time, a UUID from the content's stamp);
 * squashfs by mksquashfs with a pseudo file for owners. Which is better was measured: see README.md.
 */
#include "root/make_root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/output_file.h"
#include "lib/process.h"
#include "progress.h"

#define MAKE_TIMEOUT_MS 1800000
#define BLOCK 4096
#define STAMP_MAX ((size_t)64 << 20)

/* Changes when the same tree would give another image: the arguments below. */
#define RECIPE "2"

static char act[] = "root";

static int add_node(const struct node *node, struct buf *text, struct err *err)
{
	char hash[DIGEST_TEXT] = "";
	const char *content = node->identity ? node->identity : hash;
	int r = 0;

	if (node->type == NODE_FILE && !node->identity)
		r = node->source ? digest_file(node->source, hash, err)
				 : digest_bytes(node->bytes, node->size, hash, err);
	if (!r && buf_addf(text, "%d %o %u %u %s %s %s\n", (int)node->type, node->mode, node->uid, node->gid,
			   node->path, node->target ? node->target : "-", content) < 0)
		r = err_set(err, ENOMEM, "no memory");
	return r;
}

int root_stamp(const struct tree *tree, const struct description *d, int64_t time, char stamp[DIGEST_TEXT],
	       struct err *err)
{
	_cleanup_(buf_free) struct buf text = {.max = STAMP_MAX};
	int r = buf_addf(&text, RECIPE " %d %s %u %llu %lld\n", (int)d->root_format,
			 d->root_compression ? d->root_compression : "-", d->root_level,
			 (unsigned long long)d->root_cluster, (long long)time);

	if (r < 0)
		return err_set(err, -r, "no memory");
	for (size_t i = 0; i < tree->count && !r; i++)
		r = add_node(tree->nodes[i], &text, err);
	return r < 0 ? err_wrap(err, r, "stamp of the root") : digest_bytes(text.data, text.len, stamp, err);
}

/* A UUID of the form of version 8 (RFC 9562) from the bytes of a hash in hex. */
static void uuid_of(const char *hash, char uuid[37])
{
	snprintf(uuid, 37, "%.8s-%.4s-8%.3s-a%.3s-%.12s", hash, hash + 8, hash + 12, hash + 15, hash + 18);
}

static int make_erofs(const struct root_image *image, const char *output, struct err *err)
{
	const struct description *d = image->description;
	char compression[64], cluster[48], time[32], uuid[40] = "-U";
	const char *argv[12] = {"mkfs.erofs", "--quiet", "--all-root", "-x-1", time, uuid};
	size_t n = 6;
	struct process process = {.argv = argv,
				  .timeout_ms = MAKE_TIMEOUT_MS,
				  .tick_ms = PROGRESS_TICK_MS,
				  .tick = progress_tick,
				  .tick_arg = act};
	_cleanup_(buf_free) struct buf ignored = {0};

	uuid_of(image->stamp, uuid + 2);
	snprintf(time, sizeof time, "-T%lld", (long long)image->time);
	if (d->root_compression) {
		snprintf(compression, sizeof compression, d->root_level ? "-z%s,%u" : "-z%s", d->root_compression,
			 d->root_level);
		argv[n++] = compression;
		snprintf(cluster, sizeof cluster, "-C%llu",
			 (unsigned long long)(d->root_cluster ? d->root_cluster : 65536));
		argv[n++] = cluster;
	}
	argv[n++] = output;
	argv[n++] = image->stage;
	process.output = &ignored;
	return process_run_ok(&process, err);
}

/* mksquashfs takes owners from a file of lines "PATH m MODE UID GID". */
static int write_owners(const struct tree *tree, const char *path, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {.max = STAMP_MAX};
	int r = 0;

	for (size_t i = 0; i < tree->count && !r; i++) {
		const struct node *node = tree->nodes[i];

		if (node->type != NODE_LINK && (node->uid || node->gid))
			r = buf_addf(&text, "\"%s\" m %o %u %u\n", node->path + 1, node->mode, node->uid, node->gid);
	}
	if (r < 0)
		return err_set(err, -r, "owners: no memory");
	return file_write_atomic(path, buf_string(&text), text.len, 0644, err);
}

static int make_squashfs(const struct tree *tree, const struct root_image *image, const char *output, struct err *err)
{
	const struct description *d = image->description;
	char time[32], owners[PATH_MAX], level[16], block[32];
	const char *argv[32] = {
		"mksquashfs",	image->stage, output,	    "-noappend",
		"-no-progress", "-quiet",     "-no-xattrs", "-all-root",
		"-mkfs-time",	time,	      "-all-time",  time,
		"-pf",		owners,	      "-comp",	    d->root_compression ? d->root_compression : "zstd"};
	size_t n = 16;
	_cleanup_(buf_free) struct buf ignored = {0};
	struct process process = {.argv = argv,
				  .output = &ignored,
				  .timeout_ms = MAKE_TIMEOUT_MS,
				  .tick_ms = PROGRESS_TICK_MS,
				  .tick = progress_tick,
				  .tick_arg = act};
	int r;

	snprintf(time, sizeof time, "%lld", (long long)image->time);
	snprintf(owners, sizeof owners, "%s.owners", image->output);
	if (d->root_level) {
		snprintf(level, sizeof level, "%u", d->root_level);
		argv[n++] = "-Xcompression-level";
		argv[n++] = level;
	}
	if (d->root_cluster) {
		snprintf(block, sizeof block, "%llu", (unsigned long long)d->root_cluster);
		argv[n++] = "-b";
		argv[n++] = block;
	}
	r = write_owners(tree, owners, err);
	return r < 0 ? r : process_run_ok(&process, err);
}

/* dm-verity hashes whole blocks. */
static int pad(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(err, "%s", path);
	if (st.st_size % BLOCK && truncate(path, (st.st_size / BLOCK + 1) * BLOCK) < 0)
		return err_errno(err, "pad %s", path);
	return 0;
}

int make_root(const struct tree *tree, const struct root_image *image, struct err *err)
{
	_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
	int r = output_open(&output, image->output, err);

	if (r < 0)
		return r;
	/* With it, mkfs.erofs keeps the times of files that are older, and mksquashfs refuses times of its own. */
	unsetenv("SOURCE_DATE_EPOCH");
	r = image->description->root_format == ROOT_EROFS ? make_erofs(image, output.beside, err)
							  : make_squashfs(tree, image, output.beside, err);
	if (!r)
		r = pad(output.beside, err);
	return r < 0 ? err_wrap(err, r, "make the root image") : output_commit(&output, err);
}
