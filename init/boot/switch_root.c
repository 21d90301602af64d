/* From the initramfs to the verified root.
 *
 * The initramfs is memory: its files are removed, so that a node does not carry init and the boot's modules along for
 * ever. Nothing but the initramfs itself is removed: a directory on another device is left alone.
 * Source: Documentation/filesystems/ramfs-rootfs-initramfs.rst.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "boot/stage1.h"
#include "lib/cleanup.h"

#define RAMFS_MAGIC 0x858458f6UL
#define TMPFS_MAGIC 0x01021994UL
#define DEPTH_MAX 8

bool in_initramfs(void)
{
	struct statfs root;

	return !statfs("/", &root) &&
	       ((unsigned long)root.f_type == RAMFS_MAGIC || (unsigned long)root.f_type == TMPFS_MAGIC);
}

static void remove_below(int directory, dev_t device, int depth)
{
	DIR *dir = fdopendir(directory);
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (!strcmp(name, ".") || !strcmp(name, "..") ||
		    fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_dev != device)
			continue;
		if (S_ISDIR(st.st_mode) && depth) {
			int below = openat(dirfd(dir), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

			if (below >= 0)
				remove_below(below, device, depth - 1);
		}
		unlinkat(dirfd(dir), name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
	}
	if (dir)
		closedir(dir);
	else
		close(directory);
}

static int move_mounts(struct err *err)
{
	static const char *const moved[] = {"/dev", "/proc", "/sys", "/run"};

	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
		char to[64];

		snprintf(to, sizeof to, SYSROOT "%s", moved[i]);
		if (mount(moved[i], to, NULL, MS_MOVE, NULL) < 0)
			return err_errno(err, "move %s to the root (it needs an empty directory %s)", moved[i],
					 moved[i]);
	}
	return 0;
}

int switch_root(struct err *err)
{
	static char *const argv[] = {"init", NULL}, *const environment[] = {NULL};
	int old = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	int r;

	if (old < 0 || fstat(old, &st) < 0)
		return err_errno(err, "open the initramfs");
	if (access(SYSROOT STAGE2_PROGRAM, X_OK) < 0)
		return err_errno(err, "expected %s on the root", STAGE2_PROGRAM);
	r = move_mounts(err);
	if (r < 0)
		return r;
	if (chdir(SYSROOT) < 0)
		return err_errno(err, "enter the root");
	if (in_initramfs())
		remove_below(old, st.st_dev, DEPTH_MAX);
	if (mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		return err_errno(err, "switch to the root");
	execve(STAGE2_PROGRAM, argv, environment);
	return err_errno(err, "execute %s", STAGE2_PROGRAM);
}
