/* Find our own disk and its state partition, by sysfs alone. */
#ifndef KEELSON_FIND_STATE_H
#define KEELSON_FIND_STATE_H

#include "lib/err.h"

#define DEVICE_NAME 64

/* The disk whose partition the root file system lies on: "vda".
 * sys    "/sys", or a tree made by a test
 * root   the device number of the root file system */
int find_root_disk(const char *sys, unsigned major, unsigned minor, char disk[DEVICE_NAME], struct err *err);

/* The name of a partition by its number: "vda7", "nvme0n1p7". */
int find_partition(const char *sys, const char *disk, unsigned number, char name[DEVICE_NAME], struct err *err);

#endif
