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

#ifndef EXT4_IOC_RESIZE_FS
#define EXT4_IOC_RESIZE_FS _IOW('f', 16, uint64_t)
#endif

#define STATE_FLAGS (MS_NOSUID | MS_NODEV | MS_NOATIME)
#define OF_STATE(number) OF_STATE_(number)
#define OF_STATE_(number) "errors=remount-ro,resuid=" #number

#define GROW_LEAST ((uint64_t)1 << 20)

bool is_mounted(const char *device, const char *path)
{
	struct stat block, directory;

	return stat(device, &block) == 0 && stat(path, &directory) == 0 && block.st_rdev == directory.st_dev;
}

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

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* An overlay, not a copy: 44 MB less to read and write at the first boot, an upgrade brings its plugins without
 * touching the disk, a cut leaves nothing half copied, and an installer that replaces a file finds a plain one. */
static int mount_plugins(struct err *err)
{
	struct stat plugins, opt;

	if (stat("/opt/cni/bin", &plugins) < 0 || stat("/opt", &opt) < 0)
		return err_errno(err, "look at /opt/cni/bin");
	if (plugins.st_dev != opt.st_dev)
		return 0;
	if (mount("overlay", "/opt/cni/bin", "overlay", STATE_FLAGS,
		  "lowerdir=/usr/lib/cni,upperdir=/var/lib/keelson/cni/installed,workdir=/var/lib/keelson/cni/work") <
	    0)
		return err_errno(err, "mount the network plugins on /opt/cni/bin");
	return 0;
}

int mount_opt(struct err *err)
{
	if (!same_file("/var/opt", "/opt") && mount("/var/opt", "/opt", NULL, MS_BIND, NULL) < 0)
		return err_errno(err, "bind /var/opt on /opt");
	return mount_plugins(err);
}
