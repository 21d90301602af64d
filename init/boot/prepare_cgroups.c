/* PID 1 into a group of its own, then the controllers for everybody else.
 *
 * A group with processes in it cannot hand controllers to its children, so PID 1 moves first. Each controller is asked
 * for alone: a kernel without hugetlb must not cost the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/prepare_node.h"
#include "boot/tell.h"
#include "lib/cleanup.h"

static const struct {
	const char *enable;
	bool optional;
} controllers[] = {
	{"+cpuset", false}, {"+cpu", false}, {"+io", true}, {"+memory", false}, {"+pids", false}, {"+hugetlb", true},
};

static int poke(const char *root, const char *file, const char *value)
{
	_cleanup_close_ int fd = -1;
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	return write(fd, value, strlen(value)) < 0 ? -errno : 0;
}

int prepare_cgroups(const char *root, struct err *err)
{
	char init[256];
	int r;

	snprintf(init, sizeof init, "%s/init", root);
	if (mkdir(init, 0755) < 0 && errno != EEXIST)
		return err_errno(err, "make %s", init);
	r = poke(init, "cgroup.procs", "0");
	if (r < 0)
		return err_set(err, -r, "move PID 1 to %s: %s", init, strerror(-r));
	for (size_t i = 0; i < sizeof controllers / sizeof *controllers; i++) {
		r = poke(root, "cgroup.subtree_control", controllers[i].enable);
		if (r < 0 && !controllers[i].optional)
			return err_set(err, -r, "cgroup controller %s: %s: the kernel must have it for the kubelet",
				       controllers[i].enable + 1, strerror(-r));
	}
	return 0;
}
