/* Look at the state partition without believing it.
 *
 * Source: the superblock's layout, Linux Documentation/filesystems/ext4/super.rst; copies of it lie at the start of
 * block groups 1, 3, 5, 7, 9, … (sparse_super), of 32768 blocks of 4096 bytes as mke2fs makes them for us.
 */
#include "storage/inspect_state.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define HEAD_BYTES ((size_t)1 << 20)
#define GROUP_BYTES ((off_t)32768 * 4096)

static unsigned u16_at(const unsigned char *p)
{
	return (unsigned)p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32_at(const unsigned char *p)
{
	return (uint32_t)u16_at(p) | (uint32_t)u16_at(p + 2) << 16;
}

void parse_superblock(const unsigned char bytes[1024], struct superblock *to)
{
	uint32_t shift = u32_at(bytes + 0x18), incompatible = u32_at(bytes + 0x60);
	unsigned state = u16_at(bytes + 0x3a);
	uint64_t blocks = u32_at(bytes + 0x04);

	memset(to, 0, sizeof *to);
	if (u16_at(bytes + 0x38) != 0xef53 || shift > 6)
		return;
	if (incompatible & 0x80) /* 64bit: the count has a high half */
		blocks |= (uint64_t)u32_at(bytes + 0x150) << 32;
	to->present = true;
	to->clean = (state & 1) && !(incompatible & 4); /* 4: the journal needs recovery */
	to->error = state & 2;
	memcpy(to->label, bytes + 0x78, 16);
	to->bytes = blocks << (10 + shift);
}

static bool all_zero(const unsigned char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i])
			return false;
	return true;
}

/* The first MiB in pieces, so that a disk with content is told by its first piece. */
static int is_wiped(int fd, bool *wiped)
{
	unsigned char piece[65536];

	for (size_t at = 0; at < HEAD_BYTES; at += sizeof piece) {
		ssize_t n = pread(fd, piece, sizeof piece, (off_t)at);

		if (n != (ssize_t)sizeof piece)
			return n < 0 ? -errno : -ENOSPC;
		*wiped = all_zero(piece, sizeof piece);
		if (!*wiped)
			return 0;
	}
	return 0;
}

static int read_superblock(int fd, off_t at, struct superblock *to)
{
	unsigned char bytes[1024];
	ssize_t n = pread(fd, bytes, sizeof bytes, at);

	memset(to, 0, sizeof *to);
	if (n < 0)
		return -errno;
	if (n == sizeof bytes)
		parse_superblock(bytes, to);
	return 0;
}

static const int backup_groups[] = {1, 3, 5, 7, 9, 25, 27};
#define BACKUPS (sizeof backup_groups / sizeof *backup_groups)

static int find_backup(int fd, struct superblock *to)
{
	int r = 0;

	for (size_t i = 0; i < BACKUPS && !r && !to->present; i++)
		r = read_superblock(fd, backup_groups[i] * GROUP_BYTES, to);
	return r;
}

static int forget(int fd, off_t at)
{
	static const char zeroes[1024];
	struct superblock found;
	int r = read_superblock(fd, at, &found);

	if (r < 0 || !found.present)
		return r;
	return pwrite(fd, zeroes, sizeof zeroes, at) == sizeof zeroes ? 0 : -EIO;
}

int forget_backups(const char *device, struct err *err)
{
	_cleanup_close_ int fd = open(device, O_RDWR | O_CLOEXEC);
	int r = fd < 0 ? -errno : 0;

	for (size_t i = 0; i < BACKUPS && !r; i++)
		r = forget(fd, backup_groups[i] * GROUP_BYTES);
	if (!r && fsync(fd) < 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "wipe what an earlier file system left on %s: %s", device, strerror(-r)) : 0;
}

/* What libblkid finds. Two kinds at once count as found too. */
static int identify(int fd, char found[64])
{
	blkid_probe probe = blkid_new_probe();
	const char *type = NULL;
	int r;

	if (!probe)
		return -ENOMEM;
	r = blkid_probe_set_device(probe, fd, 0, 0) < 0 ? -EIO : 0;
	if (!r) {
		blkid_probe_enable_partitions(probe, 1);
		blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_MAGIC);
		r = blkid_do_safeprobe(probe);
	}
	if (r == 0 && !blkid_probe_lookup_value(probe, "TYPE", &type, NULL))
		snprintf(found, 64, "%s", type);
	else if (r == 0 && !blkid_probe_lookup_value(probe, "PTTYPE", &type, NULL))
		snprintf(found, 64, "a partition table (%s)", type);
	else if (r == 0)
		snprintf(found, 64, "a signature");
	else if (r == -2)
		snprintf(found, 64, "signatures of more than one kind");
	blkid_free_probe(probe);
	return r == -1 || r == -EIO || r == -ENOMEM ? -EIO : 0;
}

int inspect_state(const char *device, struct state_content *content, struct err *err)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	int r;

	memset(content, 0, sizeof *content);
	if (fd < 0)
		return err_errno(err, "open %s", device);
	r = read_superblock(fd, 1024, &content->primary);
	if (!r && content->primary.present)
		return 0;
	if (!r)
		r = is_wiped(fd, &content->wiped);
	if (!r && !content->wiped)
		r = find_backup(fd, &content->backup);
	if (!r)
		r = identify(fd, content->found);
	return r < 0 ? err_set(err, -r, "look at %s: %s", device, strerror(-r)) : 0;
}
