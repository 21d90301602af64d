/* Say that a file system is complete, by its label.
 *
 * Not by the kernel's ioctl on the mounted file system: that goes through the journal, and the superblock on the disk
 * would keep the old label until the journal is written back; a cut before that would have a file system with data in
 * it made anew. So it is done while nothing is mounted: the copies first, since e2fsck may one day take one of them for
 * the truth, then the primary, by which the next boot decides.
 * Source: Linux Documentation/filesystems/ext4/super.rst and checksums.rst (crc32c of the bytes before the checksum).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "storage/format_state.h"
#include "storage/inspect_state.h"

#define LABEL_AT 0x78
#define CHECKSUM_AT 0x3fc
#define METADATA_CSUM 0x04 /* of the second byte of the features that a reader may ignore */
#define GROUP_BYTES ((uint64_t)32768 * 4096)

static uint32_t crc32c(const unsigned char *bytes, size_t len)
{
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < len; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return crc;
}

void relabel_superblock(unsigned char bytes[1024], const char *label)
{
	uint32_t crc;

	memset(bytes + LABEL_AT, 0, 16);
	memcpy(bytes + LABEL_AT, label, strnlen(label, 16));
	if (!(bytes[0x65] & METADATA_CSUM))
		return;
	crc = crc32c(bytes, CHECKSUM_AT);
	for (int i = 0; i < 4; i++)
		bytes[CHECKSUM_AT + i] = (unsigned char)(crc >> 8 * i);
}

static bool is_power(uint64_t group, uint64_t base)
{
	while (group % base == 0)
		group /= base;
	return group == 1;
}

/* Does this block group carry a copy (sparse_super)? */
static bool has_copy(uint64_t group)
{
	return is_power(group, 3) || is_power(group, 5) || is_power(group, 7);
}

/* Returns -EBADMSG where there is no superblock of a file system that is being made. */
static int relabel_at(int fd, off_t at)
{
	unsigned char bytes[1024];
	struct superblock found;

	if (pread(fd, bytes, sizeof bytes, at) != sizeof bytes)
		return -EIO;
	parse_superblock(bytes, &found);
	if (!found.present || strcmp(found.label, LABEL_FORMATTING))
		return -EBADMSG;
	relabel_superblock(bytes, LABEL_DONE);
	return pwrite(fd, bytes, sizeof bytes, at) == sizeof bytes ? 0 : -EIO;
}

int commit_format(const char *device, uint64_t bytes, struct err *err)
{
	_cleanup_close_ int fd = open(device, O_RDWR | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? -errno : 0;

	for (uint64_t group = 1; !r && group * GROUP_BYTES + 4096 <= bytes; group++) {
		r = has_copy(group) ? relabel_at(fd, (off_t)(group * GROUP_BYTES)) : 0;
		if (r == -EBADMSG) /* mke2fs leaves out a last group that is too short */
			r = 0;
	}
	if (!r && fsync(fd) < 0)
		r = -errno;
	if (!r)
		r = relabel_at(fd, 1024);
	if (!r && fsync(fd) < 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "%s: say that the new file system is complete: %s", device, strerror(-r)) : 0;
}
