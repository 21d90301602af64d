/* The raw disk: GPT at both ends, ESP, root and verity tree in place, everything else a hole.
 *
 * libfdisk writes protective MBR and both tables into a plain file. The rest is copied block by block, and blocks of
 * zeros are not written: the file takes as much room as its content, not as the disk it stands for.
 */
#include "disk/write_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <libfdisk/libfdisk.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/output_file.h"

#define BLOCK 4096u
#define CHUNK ((size_t)1 << 20)

static void context_freep(struct fdisk_context **context)
{
	fdisk_unref_context(*context);
}

static void partition_freep(struct fdisk_partition **partition)
{
	fdisk_unref_partition(*partition);
}

static int failed(struct err *err, int r, const char *what)
{
	return err_set(err, r < 0 ? -r : EIO, "partition table: %s: %s", what, strerror(r < 0 ? -r : EIO));
}

static int add_partition(struct fdisk_context *context, unsigned number, const struct disk_partition *p,
			 struct err *err)
{
	_cleanup_(partition_freep) struct fdisk_partition *new = fdisk_new_partition();
	struct fdisk_parttype *type = fdisk_label_parse_parttype(fdisk_get_label(context, NULL), p->type);
	int r;

	if (!new || !type) {
		fdisk_unref_parttype(type);
		return failed(err, -ENOMEM, p->label);
	}
	r = fdisk_partition_set_type(new, type);
	fdisk_unref_parttype(type);
	if (!r)
		r = fdisk_partition_set_partno(new, number);
	if (!r)
		r = fdisk_partition_set_start(new, p->first);
	if (!r)
		r = fdisk_partition_set_size(new, p->sectors);
	if (!r)
		r = fdisk_partition_size_explicit(new, 1);
	if (!r)
		r = fdisk_partition_set_name(new, p->label);
	if (!r)
		r = fdisk_partition_set_uuid(new, p->uuid);
	if (!r)
		r = fdisk_add_partition(context, new, NULL);
	if (!r)
		r = fdisk_gpt_set_partition_attrs(context, number, p->attributes);
	return r ? failed(err, r, p->label) : 0;
}

static int write_table(const char *path, const struct disk_plan *plan, struct err *err)
{
	_cleanup_(context_freep) struct fdisk_context *context = fdisk_new_context();
	int r;

	if (!context)
		return failed(err, -ENOMEM, "start");
	fdisk_disable_dialogs(context, 1);
	r = fdisk_assign_device(context, path, 0);
	if (r)
		return failed(err, r, "open the disk");
	r = fdisk_create_disklabel(context, "gpt");
	if (!r)
		r = fdisk_set_disklabel_id_from_string(context, plan->guid);
	if (r)
		return failed(err, r, "start a GPT");
	for (unsigned i = 0; i < DISK_PARTITIONS; i++) {
		r = add_partition(context, i, &plan->partitions[i], err);
		if (r < 0)
			return r;
	}
	r = fdisk_write_disklabel(context);
	if (!r)
		r = fdisk_deassign_device(context, 1);
	return r ? failed(err, r, "write") : 0;
}

/* Write what is not zero of DATA to OFFSET. */
static int write_sparse(int to, const char *data, size_t len, off_t offset, struct err *err)
{
	static const char zeros[BLOCK];

	for (size_t at = 0; at < len; at += BLOCK) {
		size_t n = len - at < BLOCK ? len - at : BLOCK;
		int r;

		if (!memcmp(data + at, zeros, n))
			continue;
		while (at + n < len && n < CHUNK &&
		       memcmp(data + at + n, zeros, len - at - n < BLOCK ? len - at - n : BLOCK))
			n += len - at - n < BLOCK ? len - at - n : BLOCK;
		if (lseek(to, offset + (off_t)at, SEEK_SET) < 0)
			return err_errno(err, "seek to byte %lld", (long long)offset + (long long)at);
		r = write_all(to, data + at, n);
		if (r < 0)
			return err_set(err, -r, "write at byte %lld: %s", (long long)offset + (long long)at,
				       strerror(-r));
		at += (n - 1) / BLOCK * BLOCK;
	}
	return 0;
}

static int copy_content(int from, int to, off_t offset, struct err *err)
{
	_cleanup_free_ char *chunk = malloc(CHUNK);

	if (!chunk)
		return err_set(err, ENOMEM, "%s", strerror(ENOMEM));
	for (off_t at = 0;;) {
		off_t data = lseek(from, at, SEEK_DATA);
		ssize_t n;
		int r;

		if (data < 0 && errno == ENXIO)
			return 0;
		if (data >= 0)
			at = data / BLOCK * BLOCK;
		n = pread(from, chunk, CHUNK, at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, "read at byte %lld", (long long)at);
		if (n == 0)
			return 0;
		r = write_sparse(to, chunk, (size_t)n, offset + at, err);
		if (r < 0)
			return r;
		at += n;
	}
}

static int put_content(const char *path, const struct disk_partition *p, int to, struct err *err)
{
	_cleanup_close_ int from = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int r;

	if (from < 0 || fstat(from, &st) < 0)
		return err_errno(err, "open %s", path);
	if ((uint64_t)st.st_size > p->sectors * DISK_SECTOR)
		return err_set(err, ENOSPC, "%s of %lld bytes is larger than its partition %s of %llu", path,
			       (long long)st.st_size, p->label, (unsigned long long)p->sectors * DISK_SECTOR);
	r = copy_content(from, to, (off_t)(p->first * DISK_SECTOR), err);
	return r < 0 ? err_wrap(err, r, "copy %s", path) : 0;
}

static int fill(const struct disk_plan *plan, const struct disk_contents *contents, const struct output_file *output,
		struct err *err)
{
	int r;

	if (ftruncate(output->fd, (off_t)(plan->sectors * DISK_SECTOR)) < 0)
		return err_errno(err, "make room for %llu sectors", (unsigned long long)plan->sectors);
	r = write_table(output->beside, plan, err);
	if (!r)
		r = put_content(contents->esp, &plan->partitions[DISK_ESP], output->fd, err);
	if (!r)
		r = put_content(contents->root, &plan->partitions[DISK_ROOT_A], output->fd, err);
	if (!r)
		r = put_content(contents->verity, &plan->partitions[DISK_VERITY_A], output->fd, err);
	return r;
}

int write_disk(const struct disk_plan *plan, const struct disk_contents *contents, struct err *err)
{
	_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
	int r = output_open(&output, contents->output, err);

	if (!r)
		r = fill(plan, contents, &output, err);
	if (!r)
		r = output_commit(&output, err);
	return r < 0 ? err_wrap(err, r, "disk %s", contents->output) : 0;
}
