/* What sysfs says of a block device. */
#ifndef KEELSON_DISK_IDENTITY_H
#define KEELSON_DISK_IDENTITY_H

#include <stdbool.h>

#include "storage/device_names.h"

/* Of the disk itself, or of the disk that a partition is on. partition: its number, 0 for a disk. 0 or -errno. */
int read_disk_identity(const char *name, struct disk_identity *identity, unsigned *partition);

/* Whether NAME is a partition; disk gets its disk's name. */
bool disk_of_partition(const char *name, char disk[64]);

/* The kernel's name of a partition by its number. Returns 0 or -ENOENT. */
int partition_name(const char *disk, unsigned number, char name[64]);

/* Whether there is anything to read: an empty drive has none. */
bool has_medium(const char *name);

#endif
