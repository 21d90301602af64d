/* Find our own disk: the one whose root partition dm-verity uses.
 *
 * Labels and UUIDs can be on any disk; what the running root was verified from is ours beyond doubt.
 * Source: Linux Documentation/ABI/testing/sysfs-block (slaves/, partition).
 */
#include "storage/find_state.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define DEPTH_MAX 8 /* dm on dm on a disk */

static void drop_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* The first entry of a directory that is not "." or "..". */
static int first_entry(const char *path, char name[DEVICE_NAME])
{
	_cleanup_(drop_dir) DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && strlen(entry->d_name) < DEVICE_NAME) {
			snprintf(name, DEVICE_NAME, "%s", entry->d_name);
			return 0;
		}
	return -ENOENT;
}

static bool is_partition(const char *sys, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/class/block/%s/partition", sys, name);
	return access(path, F_OK) == 0;
}

/* A link's last part, or the one before it: …/block/vda/vda3 -> "vda3" or "vda". */
static int link_part(const char *path, bool parent, char name[DEVICE_NAME], struct err *err)
{
	char target[PATH_MAX];
	ssize_t len = readlink(path, target, sizeof target - 1);
	char *slash;

	if (len < 0)
		return err_errno(err, "read the link %s", path);
	target[len] = 0;
	slash = strrchr(target, '/');
	if (slash && parent) {
		*slash = 0;
		slash = strrchr(target, '/');
	}
	if (!slash || strlen(slash + 1) >= DEVICE_NAME)
		return err_set(err, EINVAL, "%s: expected a link to a device, found %s", path, target);
	snprintf(name, DEVICE_NAME, "%s", slash + 1);
	return 0;
}

int find_root_disk(const char *sys, unsigned major, unsigned minor, char disk[DEVICE_NAME], struct err *err)
{
	char path[PATH_MAX], name[DEVICE_NAME];
	int r;

	snprintf(path, sizeof path, "%s/dev/block/%u:%u", sys, major, minor);
	r = link_part(path, false, name, err);
	if (r < 0)
		return err_wrap(err, r, "the root file system is not on a block device");
	for (int depth = 0; depth < DEPTH_MAX && !is_partition(sys, name); depth++) {
		snprintf(path, sizeof path, "%s/class/block/%s/slaves", sys, name);
		if (first_entry(path, name) < 0)
			return err_set(err, ENODEV, "the root file system is on %s, expected a partition of a disk",
				       name);
	}
	snprintf(path, sizeof path, "%s/class/block/%s", sys, name);
	return link_part(path, true, disk, err);
}

int find_partition(const char *sys, const char *disk, unsigned number, char name[DEVICE_NAME], struct err *err)
{
	char path[PATH_MAX], wanted[16];
	_cleanup_(drop_dir) DIR *dir = NULL;
	const struct dirent *entry;

	snprintf(path, sizeof path, "%s/class/block/%s", sys, disk);
	snprintf(wanted, sizeof wanted, "%u\n", number);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		_cleanup_(buf_free) struct buf buf = {0};

		if (entry->d_name[0] == '.' || strlen(entry->d_name) >= DEVICE_NAME)
			continue;
		snprintf(path, sizeof path, "%s/class/block/%s/%s/partition", sys, disk, entry->d_name);
		if (file_read(path, 16, &buf, NULL) < 0 || strcmp(buf_string(&buf), wanted))
			continue;
		snprintf(name, DEVICE_NAME, "%s", entry->d_name);
		return 0;
	}
	return err_set(err, ENODEV, "%s: the kernel shows no partition %u", disk, number);
}
