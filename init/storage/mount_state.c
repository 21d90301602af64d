/* Mount the state partition, and what lies on it where the rest expects it.
 *
 * resuid: the reserved blocks are etcd's. Without it they would be uid 0's, which is what most containers run as.
 * nodev, nosuid: containers have mounts of their own for their root and /dev; nothing else here needs either.
 * errors=remount-ro: a file system that contradicts itself must not be written to any further.
 * Source: Linux Documentation/admin-guide/ext4.rst; EXT4_IOC_RESIZE_FS as resize2fs uses it.
 */
#include "storage/mount_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#ifndef EXT4_IOC_RESIZE_FS
#define EXT4_IOC_RESIZE_FS _IOW('f', 16, uint64_t)
#endif

#define STATE_FLAGS (MS_NOSUID | MS_NODEV | MS_NOATIME)
#define OF_STATE(number) OF_STATE_(number)
#define OF_STATE_(number) "errors=remount-ro,resuid=" #number

#define GROW_LEAST ((uint64_t)1 << 20)

int mount_state(const char *device, const char *path, struct err *err)
{
	if (mount(device, path, "ext4", STATE_FLAGS, OF_STATE(ETCD_ID)) < 0)
		return err_errno(err, "mount %s on %s", device, path);
	return 0;
}

int grow_file_system(const char *path, uint64_t bytes, uint64_t partition_bytes, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct statvfs now;
	uint64_t blocks;

	if (partition_bytes < bytes + GROW_LEAST)
		return 0;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstatvfs(fd, &now) < 0)
		return err_errno(err, "open %s", path);
	blocks = partition_bytes / now.f_bsize;
	if (ioctl(fd, EXT4_IOC_RESIZE_FS, &blocks) < 0)
		return err_errno(err, "grow the file system on %s to %llu blocks", path, (unsigned long long)blocks);
	return 0;
}

static int bind(const char *from, const char *to, struct err *err)
{
	if (mount(from, to, NULL, MS_BIND, NULL) < 0)
		return err_errno(err, "bind %s on %s", from, to);
	return 0;
}

int mount_opt(struct err *err)
{
	int r = bind("/var/opt", "/opt", err);

	if (r < 0)
		return r;
	r = make_directories("/opt/cni/bin", 0755, err);
	if (r < 0)
		return r;
	if (mount("overlay", "/opt/cni/bin", "overlay", STATE_FLAGS,
		  "lowerdir=/usr/lib/cni,upperdir=/var/lib/keelson/cni/installed,workdir=/var/lib/keelson/cni/work") < 0)
		return err_errno(err, "mount the network plugins on /opt/cni/bin");
	return 0;
}
