/* Write the partition table of a disk that is in use.
 *
 * libfdisk writes the backup first, then the primary: a power cut in between leaves the old primary, whose backup is
 * no longer looked at, or a torn primary and the new backup, which the kernel takes with `gpt` on its command line.
 * The sectors that are written are kept in memory before, and put back when a write fails.
 */
#include "storage/write_table.h"

#include <errno.h>
#include <fcntl.h>
#include <libfdisk/libfdisk.h>
#include <linux/blkpg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define ENTRIES_BYTES ((size_t)128 * 128)

/* The sectors at both ends of the disk, as they were. */
struct saved {
	size_t head_len, tail_len;
	off_t tail_at;
	char head[2 * 4096 + ENTRIES_BYTES], tail[4096 + ENTRIES_BYTES];
};

static void drop_context(struct fdisk_context **context)
{
	fdisk_unref_context(*context);
}

static void drop_partition(struct fdisk_partition **partition)
{
	fdisk_unref_partition(*partition);
}

static int save(int disk, const struct table *table, struct saved *saved, struct err *err)
{
	if (table->sector_size > 4096)
		return err_set(err, EINVAL, "expected sectors of at most 4096 bytes, found %u", table->sector_size);
	saved->head_len = 2 * table->sector_size + ENTRIES_BYTES;
	saved->tail_len = table->sector_size + ENTRIES_BYTES;
	saved->tail_at = (off_t)(table->sectors * table->sector_size - saved->tail_len);
	if (pread(disk, saved->head, saved->head_len, 0) != (ssize_t)saved->head_len ||
	    pread(disk, saved->tail, saved->tail_len, saved->tail_at) != (ssize_t)saved->tail_len)
		return err_errno(err, "read both ends of the disk");
	return 0;
}

/* The primary first: it is the one that is read. */
static void put_back(int disk, const struct saved *saved)
{
	(void)!pwrite(disk, saved->head, saved->head_len, 0);
	fsync(disk);
	(void)!pwrite(disk, saved->tail, saved->tail_len, saved->tail_at);
	fsync(disk);
}

static int change_partition(struct fdisk_context *context, unsigned number, const char *uuid, uint64_t sectors)
{
	_cleanup_(drop_partition) struct fdisk_partition *change = fdisk_new_partition();
	int r = change ? 0 : -ENOMEM;

	if (!r && uuid)
		r = fdisk_partition_set_uuid(change, uuid);
	if (!r && sectors)
		r = fdisk_partition_set_size(change, sectors);
	if (!r && sectors)
		r = fdisk_partition_size_explicit(change, 1);
	return r ? r : fdisk_set_partition(context, number - 1, change);
}

static int apply(struct fdisk_context *context, const struct table_plan *plan, struct err *err)
{
	uint64_t sectors = plan->grow ? plan->last - plan->first + 1 : 0;
	const char *state_id = plan->new_ids ? plan->state_id : NULL;
	int r = 0;

	if (sectors || state_id)
		r = change_partition(context, plan->state, state_id, sectors);
	if (r < 0)
		return err_set(err, -r, "grow state to sector %llu: %s", (unsigned long long)plan->last, strerror(-r));
	if (plan->new_attributes)
		r = fdisk_gpt_set_partition_attrs(context, plan->state - 1, plan->attributes);
	if (r < 0)
		return err_set(err, -r, "set the attributes of state: %s", strerror(-r));
	if (plan->new_ids && plan->esp)
		r = change_partition(context, plan->esp, plan->esp_id, 0);
	if (!r && plan->new_ids)
		r = fdisk_set_disklabel_id_from_string(context, plan->disk_id);
	if (r < 0)
		return err_set(err, -r, "set new UUIDs: %s", strerror(-r));
	r = fdisk_write_disklabel(context);
	return r < 0 ? err_set(err, -r, "write: %s", strerror(-r)) : 0;
}

int write_table(const char *disk, const struct table *table, const struct table_plan *plan, struct err *err)
{
	_cleanup_(drop_context) struct fdisk_context *context = fdisk_new_context();
	_cleanup_close_ int fd = open(disk, O_RDWR | O_CLOEXEC);
	struct saved saved;
	int r;

	if (!context || fd < 0)
		return err_errno(err, "open %s for its partition table", disk);
	r = save(fd, table, &saved, err);
	if (r < 0)
		return err_wrap(err, r, "%s: partition table", disk);
	r = fdisk_assign_device_by_fd(context, fd, disk, 0);
	if (r < 0)
		return err_set(err, -r, "%s: partition table: %s", disk, strerror(-r));
	r = apply(context, plan, err);
	fdisk_deassign_device(context, 1);
	if (!r && fsync(fd) < 0)
		r = err_errno(err, "sync");
	if (r < 0) {
		put_back(fd, &saved);
		return err_wrap(err, r, "%s: partition table", disk);
	}
	return 0;
}

int resize_in_kernel(const char *disk, const struct table *table, const struct table_plan *plan, struct err *err)
{
	_cleanup_close_ int fd = open(disk, O_RDWR | O_CLOEXEC);
	struct blkpg_partition partition = {
		.start = (long long)(plan->first * table->sector_size),
		.length = (long long)((plan->last - plan->first + 1) * table->sector_size),
		.pno = (int)plan->state,
	};
	struct blkpg_ioctl_arg request = {
		.op = BLKPG_RESIZE_PARTITION, .datalen = sizeof partition, .data = &partition};

	if (fd < 0)
		return err_errno(err, "open %s", disk);
	if (ioctl(fd, BLKPG, &request) < 0)
		return err_errno(err, "%s: tell the kernel the new size of partition %u", disk, plan->state);
	return 0;
}
