/* Look at every disk for the two partitions that are named by the halves of the root hash.
 *
 * sysfs knows no PARTUUID, so the partition tables are read here. The kernel reads them too and names the partitions;
 * a partition is used only where both agree on where it lies.
 * Source: UAPI.2, discoverable partitions: root = first 128 bits of the hash, verity = last 128 bits.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "boot/find_root.h"
#include "boot/gpt.h"
#include "lib/cleanup.h"

#define CLASS_BLOCK "/sys/class/block"
#define SYSFS_SECTOR 512 /* sysfs counts so, whatever the disk's sectors are */

static int read_attribute(const char *device, const char *attribute, char *value, size_t room)
{
	char path[128];
	_cleanup_close_ int fd = -1;
	ssize_t n;

	if ((size_t)snprintf(path, sizeof path, CLASS_BLOCK "/%s/%s", device, attribute) >= sizeof path)
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, value, room - 1);
	if (n < 0)
		return -errno;
	value[n] = 0;
	value[strcspn(value, "\n")] = 0;
	return 0;
}

static uint64_t read_number(const char *device, const char *attribute)
{
	char value[32];

	return read_attribute(device, attribute, value, sizeof value) < 0 ? 0 : strtoull(value, NULL, 10);
}

static int read_disk(void *context, uint64_t offset, void *data, size_t len)
{
	char *at = data;

	while (len) {
		ssize_t n = pread(*(int *)context, at, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		at += n;
		offset += (uint64_t)n;
		len -= (size_t)n;
	}
	return 0;
}

static int read_table(const char *disk, uint64_t bytes, struct gpt *gpt, struct err *err)
{
	char path[64];
	_cleanup_close_ int fd = -1;
	struct gpt_source source = {read_disk, &fd, bytes, (uint32_t)read_number(disk, "queue/logical_block_size")};

	snprintf(path, sizeof path, "/dev/%.*s", DEVICE_NAME_MAX, disk);
	/* O_NONBLOCK: an empty drive is opened and not waited for. */
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "open");
	return gpt_read(&source, gpt, err);
}

/* The kernel's name of a partition of the table: the child of the disk with its number and its extent. */
static int kernel_partition(const char *disk, const struct gpt_partition *p, uint32_t sector, char *name, char *number)
{
	_cleanup_free_ char *path = NULL;
	struct dirent *entry;
	int r = -ENOENT;
	DIR *dir;

	if (asprintf(&path, CLASS_BLOCK "/%s", disk) < 0)
		return -ENOMEM;
	dir = opendir(path);
	while (dir && r && (entry = readdir(dir))) {
		uint64_t scale = sector / SYSFS_SECTOR;

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= DEVICE_NAME_MAX ||
		    strncmp(entry->d_name, disk, strlen(disk)))
			continue;
		if (read_number(entry->d_name, "partition") == p->number &&
		    read_number(entry->d_name, "start") == p->first * scale &&
		    read_number(entry->d_name, "size") == (p->last - p->first + 1) * scale)
			r = read_attribute(entry->d_name, "dev", number, 16);
		if (!r)
			strcpy(name, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return r;
}

static void take_candidate(const char *disk, const struct gpt *gpt, const uint8_t root_hash[32], bool holds_esp,
			   struct roots_found *found)
{
	const struct gpt_partition *root = gpt_find(gpt, root_hash), *verity = gpt_find(gpt, root_hash + 16);
	struct root_candidate *c = &found->candidates[found->count];

	if (!root || !verity || found->count == ROOT_CANDIDATES_MAX) {
		found->esp_elsewhere = found->esp_elsewhere || holds_esp;
		return;
	}
	*c = (struct root_candidate){.partition = root->number, .holds_esp = holds_esp};
	if (kernel_partition(disk, root, gpt->sector, c->root, c->root_number) < 0 ||
	    kernel_partition(disk, verity, gpt->sector, c->verity, c->verity_number) < 0)
		return; /* the kernel has not made them yet: its event makes us look again */
	c->root_bytes = (root->last - root->first + 1) * gpt->sector;
	c->verity_bytes = (verity->last - verity->first + 1) * gpt->sector;
	snprintf(c->disk, sizeof c->disk, "%s", disk);
	snprintf(c->label, sizeof c->label, "%s", root->name);
	snprintf(c->damage, sizeof c->damage, "%s", gpt->damage);
	found->count++;
}

static bool is_disk(const char *name)
{
	static const char *const never[] = {".", "loop", "ram", "zram", "dm-", "fd", "nbd", "md", "sr"};
	char value[8];

	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		if (!strncmp(name, never[i], strlen(never[i])))
			return false;
	return strlen(name) < DEVICE_NAME_MAX && read_attribute(name, "partition", value, sizeof value) < 0;
}

static void scan_disk(const char *disk, const uint8_t root_hash[32], const uint8_t *esp, struct roots_found *found,
		      char disks[DISKS_TEXT_MAX])
{
	static struct gpt gpt; /* 24 KiB, off the stack */
	uint64_t bytes = read_number(disk, "size") * SYSFS_SECTOR;
	struct err err = {""};
	size_t used = strlen(disks);
	int r;

	if (!bytes) /* a drive without a medium */
		return;
	r = read_table(disk, bytes, &gpt, &err);
	snprintf(disks + used, DISKS_TEXT_MAX - used, "%s%s %" PRIu64 " MiB%s%s%s", used ? ", " : "", disk, bytes >> 20,
		 r < 0 ? " (" : "", r < 0 ? err.text : "", r < 0 ? ")" : "");
	if (r < 0)
		return;
	take_candidate(disk, &gpt, root_hash, esp && gpt_find(&gpt, esp), found);
}

void scan_disks(const uint8_t root_hash[32], const uint8_t *esp, struct roots_found *found, char disks[DISKS_TEXT_MAX])
{
	DIR *dir = opendir(CLASS_BLOCK);
	struct dirent *entry;

	*found = (struct roots_found){.esp_named = esp != NULL};
	disks[0] = 0;
	while (dir && (entry = readdir(dir)))
		if (is_disk(entry->d_name))
			scan_disk(entry->d_name, root_hash, esp, found, disks);
	if (dir)
		closedir(dir);
	if (!disks[0])
		strcpy(disks, "none");
}
