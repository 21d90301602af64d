/* A program of somebody else's that a service keeps running. */
#include "network/watched_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"

int64_t boot_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int backoff_ms(unsigned failures)
{
	int ms = failures > 8 ? 30000 : 100 << failures;

	return ms > 30000 ? 30000 : ms;
}

/* It must not outlive the service, which would start a second one. */
static _Noreturn void become(const char *const *argv, int says)
{
	sigset_t none;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (null >= 0 && dup2(null, 0) >= 0 && dup2(says, 1) >= 0 && dup2(says, 2) >= 0)
		execv(argv[0], (char *const *)(uintptr_t)argv);
	dprintf(says, "%s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static int fail_start(struct watched_child *child, struct err *err, const char *name)
{
	int r = err_errno(err, "start %s", name);

	child->restart_at = boot_ms() + backoff_ms(child->failures++);
	return r;
}

int child_start(struct watched_child *child, const char *const *argv, struct err *err)
{
	_cleanup_close_ int write_end = -1;
	int ends[2];
	pid_t pid;

	child->restart_at = 0;
	child->wanted_to_end = false;
	child->said[0] = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail_start(child, err, argv[0]);
	write_end = ends[1];
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	pid = fork();
	if (pid == 0)
		become(argv, write_end);
	if (pid < 0) {
		int r = fail_start(child, err, argv[0]);

		close(ends[0]);
		return r;
	}
	child->pid = pid;
	child->says = ends[0];
	return 0;
}

void child_renew(struct watched_child *child)
{
	if (child->pid <= 0)
		return;
	child->wanted_to_end = true;
	kill(child->pid, SIGTERM);
}

void child_stop(struct watched_child *child)
{
	if (child->pid > 0)
		kill(child->pid, SIGKILL);
	closep(&child->says);
	*child = (struct watched_child)WATCHED_CHILD_NONE;
}

void child_listen(struct watched_child *child)
{
	char chunk[512];
	ssize_t n = read(child->says, chunk, sizeof chunk - 1);
	char *line;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close(child->says);
		child->says = -1;
		return;
	}
	while (n > 0 && chunk[n - 1] == '\n')
		n--;
	chunk[n] = 0;
	line = strrchr(chunk, '\n');
	snprintf(child->said, sizeof child->said, "%.*s", SAID_BYTES - 1, line ? line + 1 : chunk);
	for (char *p = child->said; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
			*p = '?';
}

bool child_ended(struct watched_child *child, int status, char *text, size_t len)
{
	bool wanted = child->wanted_to_end;
	int wait = wanted ? 0 : backoff_ms(child->failures++);

	if (child->says >= 0)
		child_listen(child);
	closep(&child->says);
	child->says = -1;
	child->pid = 0;
	child->wanted_to_end = false;
	child->restart_at = boot_ms() + wait;
	snprintf(text, len, "%s %d%s%s, again in %d ms", WIFSIGNALED(status) ? "signal" : "status",
		 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), child->said[0] ? ": " : "", child->said,
		 wait);
	return !wanted;
}

bool child_is_due(const struct watched_child *child, int64_t now)
{
	return child->pid <= 0 && child->restart_at && now >= child->restart_at;
}

int64_t child_due(const struct watched_child *child, int64_t due)
{
	if (child->pid > 0 || !child->restart_at)
		return due;
	return due < 0 || child->restart_at < due ? child->restart_at : due;
}

int service_signals(struct err *err)
{
	sigset_t wanted;
	int fd;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGINT);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? err_errno(err, "signalfd") : fd;
}
