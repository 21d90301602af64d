/* enter ROOT PROGRAM ARGUMENT…: PID 1 of a pid namespace becomes PROGRAM, on a root of its own. For `make bench-init`.
 *
 * Supervisor and peers all start here, with the same mounts: ROOT, a /dev of a few nodes without the kernel's log,
 * /proc with a read-only /proc/sys, /run, and an own view of cgroup2 from the group it was put into. The last thing
 * done is a record "start" of the time in /run/beats, so that what is measured begins with the exec of PROGRAM.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "beat.h"

static void must(long result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static void make_dev(void)
{
	static const struct {
		const char *path;
		unsigned major, minor;
	} nodes[] = {{"dev/null", 1, 3},
		     {"dev/console", 1, 3}, /* nobody looks */
		     {"dev/zero", 1, 5},
		     {"dev/urandom", 1, 9},
		     {"dev/ptmx", 5, 2}}; /* finit logs through one */

	must(mount("dev", "dev", "tmpfs", 0, "size=64k"), "mount /dev");
	for (unsigned k = 0; k < sizeof nodes / sizeof nodes[0]; k++)
		must(mknod(nodes[k].path, S_IFCHR | 0666, makedev(nodes[k].major, nodes[k].minor)), nodes[k].path);
}

int main(int argc, char **argv)
{
	int beats;

	if (argc < 3 || getpid() != 1)
		return 2;
	must(unshare(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWCGROUP), "unshare");
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "make mounts private");
	must(mount(argv[1], argv[1], NULL, MS_BIND, NULL), argv[1]);
	must(chdir(argv[1]), argv[1]);
	make_dev();
	must(mount("run", "run", NULL, MS_BIND, NULL), "mount /run");
	must(mount("proc", "proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL), "mount /proc");
	must(mount("proc/sys", "proc/sys", NULL, MS_BIND, NULL), "mount /proc/sys");
	must(mount(NULL, "proc/sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL), "protect /proc/sys");
	must(mount("cgroup", "sys/fs/cgroup", "cgroup2", 0, NULL), "mount /sys/fs/cgroup");
	must(syscall(SYS_pivot_root, ".", "."), "pivot_root");
	must(umount2(".", MNT_DETACH), "leave the old root");
	must(chdir("/"), "/");
	beats = open(BEATS, O_WRONLY | O_CLOEXEC);
	must(beats, BEATS);
	beat(beats, now_ns(), "start");
	execv(argv[2], argv + 2);
	must(-1, argv[2]);
}
