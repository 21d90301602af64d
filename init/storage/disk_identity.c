/* What sysfs says of a block device. */
#include "storage/disk_identity.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/cdrom.h>

#include "lib/cleanup.h"

#define CLASS_BLOCK "/sys/class/block"

/* The first line of an attribute; "" when there is none. Returns whether there is. */
static bool read_word(const char *device, const char *attribute, char *value, size_t room)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	ssize_t n;

	value[0] = 0;
	if ((size_t)snprintf(path, sizeof path, CLASS_BLOCK "/%s/%s", device, attribute) >= sizeof path)
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, value, room - 1);
	if (n < 0)
		return false;
	value[n] = 0;
	value[strcspn(value, "\n")] = 0;
	return true;
}

/* Where the device is below /sys/devices: "pci0000:00/…/block/vda/vda3". */
static int device_path(const char *name, char *path, size_t room)
{
	char link[PATH_MAX], real[PATH_MAX];

	snprintf(link, sizeof link, CLASS_BLOCK "/%s", name);
	if (!realpath(link, real))
		return -errno;
	if (strncmp(real, "/sys/devices/", 13) || strlen(real + 13) >= room)
		return -EINVAL;
	strcpy(path, real + 13);
	return 0;
}

static unsigned read_number(const char *name, const char *attribute)
{
	char value[32];

	read_word(name, attribute, value, sizeof value);
	return (unsigned)strtoul(value, NULL, 10);
}

bool disk_of_partition(const char *name, char disk[64])
{
	char path[1024], *slash;

	if (!read_number(name, "partition") || device_path(name, path, sizeof path) < 0)
		return false;
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	*slash = 0;
	slash = strrchr(path, '/');
	snprintf(disk, 64, "%.63s", slash ? slash + 1 : path);
	return true;
}

int partition_name(const char *disk, unsigned number, char name[64])
{
	char path[PATH_MAX];
	struct dirent *entry;
	int r = -ENOENT;
	DIR *dir;

	snprintf(path, sizeof path, CLASS_BLOCK "/%s", disk);
	dir = opendir(path);
	while (dir && r && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, disk, strlen(disk)) && strlen(entry->d_name) < 64 &&
		    read_number(entry->d_name, "partition") == number) {
			strcpy(name, entry->d_name);
			r = 0;
		}
	if (dir)
		closedir(dir);
	return r;
}

bool has_medium(const char *name)
{
	_cleanup_close_ int fd = -1;
	char value[32], path[128];

	read_word(name, "size", value, sizeof value);
	if (!strtoull(value, NULL, 10) || strncmp(name, "sr", 2))
		return strtoull(value, NULL, 10) > 0;
	/* An empty CD drive says a size all the same, and reading it takes a second. */
	snprintf(path, sizeof path, "/dev/%.64s", name);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && ioctl(fd, CDROM_DRIVE_STATUS, CDSL_CURRENT) == CDS_DISC_OK;
}

/* "…/ata3/host2/…": its port, from 1, as its controller counts. */
static unsigned read_ata_port(const char *path)
{
	const char *ata = strstr(path, "/ata");
	char attribute[64];
	unsigned number;

	if (!ata || sscanf(ata, "/ata%u/", &number) != 1)
		return 0;
	snprintf(attribute, sizeof attribute, "../ata_port/ata%u/port_no", number);
	return read_number(".", attribute);
}

int read_disk_identity(const char *name, struct disk_identity *d, unsigned *partition)
{
	int r;

	memset(d, 0, sizeof *d);
	*partition = read_number(name, "partition");
	if (!*partition)
		snprintf(d->name, sizeof d->name, "%.63s", name);
	else if (!disk_of_partition(name, d->name))
		return -ENODEV;
	r = device_path(d->name, d->path, sizeof d->path);
	if (r < 0)
		return r;
	read_word(d->name, "serial", d->serial, sizeof d->serial);
	read_word(d->name, "device/model", d->model, sizeof d->model);
	read_word(d->name, "device/serial", d->nvme_serial, sizeof d->nvme_serial);
	if (!read_word(d->name, "wwid", d->wwid, sizeof d->wwid))
		read_word(d->name, "device/wwid", d->wwid, sizeof d->wwid);
	read_word(d->name, "dm/name", d->dm_name, sizeof d->dm_name);
	read_word(d->name, "dm/uuid", d->dm_uuid, sizeof d->dm_uuid);
	d->ata_port = read_ata_port(d->path);
	return 0;
}
