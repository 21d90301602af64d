/* A tree as a tar archive (ustar, pax headers only where a path or a size needs them). */
#include "oci/tree_tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/output_file.h"

#define CHUNK 65536

static void free_archive(struct archive **archive)
{
	archive_write_free(*archive);
}

static void free_entry(struct archive_entry **entry)
{
	archive_entry_free(*entry);
}

static int fail(struct archive *archive, const char *path, struct err *err)
{
	return err_set(err, EIO, "%s: %s", path, archive_error_string(archive));
}

static int write_content(struct archive *archive, const struct node *node, struct err *err)
{
	_cleanup_close_ int fd = -1;
	char chunk[CHUNK];
	uint64_t left = node->size;

	if (!node->source)
		return archive_write_data(archive, node->bytes, node->size) < 0 ? fail(archive, node->path, err) : 0;
	fd = open(node->source, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "open %s", node->source);
	while (left) {
		ssize_t n = read(fd, chunk, left < sizeof chunk ? (size_t)left : sizeof chunk);

		if (n < 0)
			return err_errno(err, "read %s", node->source);
		if (n == 0)
			return err_set(err, EIO, "%s: became shorter while it was read", node->source);
		if (archive_write_data(archive, chunk, (size_t)n) < 0)
			return fail(archive, node->path, err);
		left -= (uint64_t)n;
	}
	return 0;
}

static int write_node(struct archive *archive, const struct node *node, int64_t time, struct err *err)
{
	_cleanup_(free_entry) struct archive_entry *entry = archive_entry_new();
	static const unsigned types[] = {AE_IFDIR, AE_IFREG, AE_IFLNK};

	if (!entry)
		return err_set(err, ENOMEM, "no memory");
	archive_entry_set_pathname(entry, node->path + 1);
	archive_entry_set_filetype(entry, types[node->type]);
	archive_entry_set_perm(entry, (mode_t)node->mode);
	archive_entry_set_uid(entry, node->uid);
	archive_entry_set_gid(entry, node->gid);
	archive_entry_set_mtime(entry, time, 0);
	archive_entry_set_size(entry, node->type == NODE_FILE ? (la_int64_t)node->size : 0);
	if (node->type == NODE_LINK)
		archive_entry_set_symlink(entry, node->target);
	if (archive_write_header(archive, entry) != ARCHIVE_OK)
		return fail(archive, node->path, err);
	return node->type == NODE_FILE ? write_content(archive, node, err) : 0;
}

int tree_tar(const struct tree *tree, int64_t time, const char *output, struct err *err)
{
	_cleanup_(output_abandon) struct output_file file = OUTPUT_FILE_NONE;
	_cleanup_(free_archive) struct archive *archive = archive_write_new();
	int r = output_open(&file, output, err);

	if (r < 0)
		return r;
	if (!archive)
		return err_set(err, ENOMEM, "no memory");
	archive_write_set_format_pax_restricted(archive);
	archive_write_set_bytes_in_last_block(archive, 1);
	if (archive_write_open_fd(archive, file.fd) != ARCHIVE_OK)
		return fail(archive, output, err);
	for (size_t i = 0; i < tree->count && !r; i++)
		r = write_node(archive, tree->nodes[i], time, err);
	if (!r && archive_write_close(archive) != ARCHIVE_OK)
		r = fail(archive, output, err);
	return r < 0 ? err_wrap(err, r, "write %s", output) : output_commit(&file, err);
}
