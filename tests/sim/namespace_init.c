/* The supervisor as PID 1 of a pid namespace: namespace_init WORK [CALL=ERRNO]…
 *
 * CALL is the number of a system call that fails with ERRNO from then on, for PID 1 and everything it starts.
 *
 * WORK is a tmpfs of the test with empty folders root, upper, work, and run (with services.table in it), and cgroup, a
 * link to a cgroup2 directory of its own. The root becomes an overlay over the machine's, so that everything the
 * supervisor does to mounts on its way down meets file systems of the test alone. A FIFO /run/watchdog is its watchdog.
 *
 * Linked with --wrap=close: PID 1 closing what it has closed already leaves /run/closed-twice, for which node.py looks.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/supervise.h"

static const char *work;

static void mount_at(const char *source, const char *target, const char *type, unsigned long flags, const char *data)
{
	char path[512];

	snprintf(path, sizeof path, "%s/root%s", work, target);
	if (mount(source, path, type, flags, data) < 0) {
		perror(path);
		exit(1);
	}
}

static const char *in_work(const char *name)
{
	static char path[512];

	snprintf(path, sizeof path, "%s/%s", work, name);
	return path;
}

static void forbid(long call, long error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
		perror("seccomp");
		exit(1);
	}
}

int __real_close(int fd);
int __wrap_close(int fd);

int __wrap_close(int fd)
{
	int r = __real_close(fd), error = errno;

	if (r < 0 && error == EBADF && fd >= 0 && getpid() == 1)
		__real_close(open("/run/closed-twice", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	errno = error;
	return r;
}

int main(int argc, char **argv)
{
	struct supervise_options options = {
		.table = "/run/services.table", .console = "/run/console", .watchdog = "/run/watchdog"};
	char data[1024];

	if (argc < 2 || getpid() != 1)
		return 2;
	work = argv[1];
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return 1;
	snprintf(data, sizeof data, "lowerdir=/,upperdir=%s/upper,workdir=%s/work", work, work);
	mount_at("test", "", "overlay", 0, data);
	mount_at(in_work("run"), "/run", NULL, MS_BIND, NULL);
	mount_at("/dev", "/dev", NULL, MS_BIND | MS_REC, NULL);
	mount_at("/sys", "/sys", NULL, MS_BIND, NULL);
	mount_at(in_work("cgroup"), "/sys/fs/cgroup", NULL, MS_BIND, NULL);
	mount_at("proc", "/proc", "proc", MS_NOSUID | MS_NOEXEC | MS_NODEV, NULL);
	snprintf(data, sizeof data, "%s/root", work);
	if (chdir(data) < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 ||
	    chdir("/") < 0) {
		perror("pivot_root");
		return 1;
	}
	for (int k = 2; k < argc; k++) {
		char *equals = strchr(argv[k], '=');

		if (equals)
			forbid(strtol(argv[k], NULL, 10), strtol(equals + 1, NULL, 10));
	}
	supervise(&options);
}
