/* The floor of `make bench-ready`: how long containerd takes to READY=1 when nothing else runs.
 *
 * It is /init of a boot of its own. It reaches the verified root with init's own stage 1, mounts what the kernel offers
 * and memory on /var, executes containerd exactly as configs/services/containerd.service does, waits for READY=1,
 * prints what it took, and powers off. No supervisor, no logs, no network, no configuration, no disk that is written.
 *
 * "Run /init as init process" is read from the kernel's log, so that the time between the kernel's hand-over and the
 * first line of init's story is known too.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "boot/find_root.h"
#include "boot/mounts.h"
#include "boot/stage1.h"
#include "boot/tell.h"
#include "lib/uevent.h"

#define NOTIFY_PATH "/run/notify"
#define READY_MS 120000

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static _Noreturn void end(const char *what, const struct err *err)
{
	if (what)
		tell("bench", "%s: %s", what, err ? err->text : strerror(errno));
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

/* When the kernel said that it runs init, in seconds of its own log; negative when it did not. */
static double handed_over(void)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	double at = -1;
	char record[2048];
	ssize_t n;

	while (log >= 0 && ((n = read(log, record, sizeof record - 1)) > 0 || (n < 0 && errno == EPIPE))) {
		unsigned long long microseconds;

		record[n > 0 ? n : 0] = 0;
		if (strstr(record, ";Run /init as init process") && sscanf(record, "%*u,%*u,%llu", &microseconds) == 1)
			at = (double)microseconds / 1e6;
	}
	if (log >= 0)
		close(log);
	return at;
}

static void reach_root(void)
{
	static struct modules modules;
	struct root_candidate root = {0};
	struct cmdline cmdline = {0};
	struct err err = {""};
	int events = uevent_open(NULL);
	int r = read_cmdline(&cmdline, &err);

	open_modules(&modules);
	load_basic_modules(&modules);
	if (!access("/sys/firmware/efi", F_OK))
		load_asked_module(&modules, "fs-efivarfs");
	mount_all(MOUNT_STAGE1, &mount_system, NULL);
	load_matching_modules(&modules, true);
	if (!r)
		r = find_root(&cmdline, events, &modules, &root, &err);
	if (!r)
		r = mount_root(&cmdline, &modules, &root, &err);
	if (r < 0)
		end("root", &err);
	load_asked_module(&modules, "fs-overlay");
	close(events);
}

static void enter_root(void)
{
	static const char *const moved[] = {"/dev", "/proc", "/sys", "/run"};
	struct err err;

	for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
		char to[64];

		snprintf(to, sizeof to, SYSROOT "%s", moved[i]);
		if (mount(moved[i], to, NULL, MS_MOVE, NULL) < 0)
			end("move mounts", NULL);
	}
	if (chdir(SYSROOT) < 0 || mount(".", "/", NULL, MS_MOVE, NULL) < 0 || chroot(".") < 0 || chdir("/") < 0)
		end("enter the root", NULL);
	if (mount_all(MOUNT_STAGE2, &mount_system, &err) < 0)
		end("mounts", &err);
	if (mount("tmpfs", "/var", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0 || mkdir("/var/lib", 0755) < 0)
		end("memory on /var", NULL);
	if (mount("tmpfs", "/opt", "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") < 0)
		end("memory on /opt", NULL);
}

static int open_notify(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX, .sun_path = NOTIFY_PATH};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) < 0)
		end("notify socket", NULL);
	return fd;
}

static _Noreturn void run_containerd(void)
{
	static char *const argv[] = {"/usr/bin/containerd", "--config", "/usr/lib/keelson/configs/containerd.toml",
				     NULL};
	static char *const environment[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "NOTIFY_SOCKET=" NOTIFY_PATH, NULL};
	const struct rlimit files = {1048576, 1048576};
	int log = open("/run/containerd.log", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	setrlimit(RLIMIT_NOFILE, &files);
	dup2(log, STDOUT_FILENO);
	dup2(log, STDERR_FILENO);
	execve(argv[0], argv, environment);
	_exit(127);
}

/* Returns when READY=1 came. */
static void await_ready(int notify)
{
	double deadline = seconds() + READY_MS / 1000.0;
	struct pollfd ready = {notify, POLLIN, 0};
	char message[1024];

	for (;;) {
		ssize_t n;

		if (seconds() > deadline || poll(&ready, 1, READY_MS) <= 0) {
			errno = ETIMEDOUT;
			end("READY=1", NULL);
		}
		n = recv(notify, message, sizeof message - 1, 0);
		message[n > 0 ? n : 0] = 0;
		if (strstr(message, "READY=1"))
			return;
	}
}

int main(void)
{
	double over, told, exec, ready;
	struct err err;
	pid_t pid;
	int notify;

	if (mount_all(MOUNT_STAGE1, &mount_system, &err) < 0)
		end("mounts", &err);
	open_standard_descriptors();
	tell_open();
	told = seconds(); /* here init tells its first line */
	over = handed_over();
	reach_root();
	enter_root();
	notify = open_notify();
	exec = seconds();
	pid = fork();
	if (pid < 0)
		end("fork", NULL);
	if (!pid)
		run_containerd();
	await_ready(notify);
	ready = seconds();
	tell("bench", "handed over %.3f told %.3f exec %.3f ready %.3f", over, told, exec, ready);
	end(NULL, NULL);
}
