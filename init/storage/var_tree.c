/* The directories of /var that everyone expects. */
#include "storage/var_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "storage/mount_state.h"

static const struct {
	const char *path; /* a parent stands before its children */
	mode_t mode;
	uid_t owner;
} tree[] = {
	{"cache", 0755, 0},
	{"lib", 0755, 0},
	{"lib/containerd", 0711, 0},
	{"lib/etcd", 0700, ETCD_ID},
	{"lib/keelson", 0755, 0},
	{"lib/keelson/cni", 0755, 0},
	{"lib/keelson/cni/installed", 0755, 0},
	{"lib/keelson/cni/work", 0755, 0},
	{"lib/keelson/config", 0700, 0},
	{"lib/keelson/images", 0755, 0},
	{"lib/kubelet", 0750, 0},
	{"log", 0755, 0},
	{"log/containers", 0755, 0},
	{"log/keelson", 0750, 0},
	{"log/pods", 0755, 0},
	{"opt", 0755, 0},
	{"opt/cni", 0755, 0},
	{"opt/cni/bin", 0755, 0},
	{"spool", 0755, 0},
	{"tmp", 01777, 0},
};

static const struct {
	const char *path, *target;
} links[] = {
	{"lock", "/run/lock"},
	{"run", "/run"},
};

/* A link in the place of a directory is not followed: a pod with a host path may have put it there. */
static int make_one(int var, const char *path, mode_t mode, uid_t owner)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (mkdirat(var, path, mode) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(var, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return -errno;
	if ((st.st_uid != owner || st.st_gid != owner) && fchown(fd, owner, owner) < 0)
		return -errno;
	if ((st.st_mode & 07777) != mode && fchmod(fd, mode) < 0)
		return -errno;
	return 0;
}

int make_var_tree(const char *var, struct err *err)
{
	_cleanup_close_ int fd = open(var, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_errno(err, "open %s", var);
	for (size_t i = 0; i < sizeof tree / sizeof *tree; i++) {
		int r = make_one(fd, tree[i].path, tree[i].mode, tree[i].owner);

		if (r < 0)
			return err_set(err, -r, "make the directory %s/%s: %s", var, tree[i].path, strerror(-r));
	}
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (symlinkat(links[i].target, fd, links[i].path) < 0 && errno != EEXIST)
			return err_errno(err, "make the link %s/%s", var, links[i].path);
	return 0;
}
