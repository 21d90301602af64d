/* Mount the state partition, and what lies on it where the rest expects it. */
#ifndef KEELSON_MOUNT_STATE_H
#define KEELSON_MOUNT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define ETCD_ID 901

/* Is the file system of DEVICE the one on PATH? */
bool is_mounted(const char *device, const char *path);

/* Mount DEVICE on PATH. -EUCLEAN, -EIO, -EINVAL and the like mean that a check may help. */
int mount_state(const char *device, const char *path, struct err *err);

/* Grow the mounted file system of BYTES to the size of its partition, online. Nothing to do is no error. */
int grow_file_system(const char *path, uint64_t bytes, uint64_t partition_bytes, struct err *err);

/* /var/opt on /opt, and on /opt/cni/bin the plugins of the image with what was installed beside them. What is there
 * already stays. */
int mount_opt(struct err *err);

#endif
