/* Children: forked into a cgroup with a pidfd, signalled by it, forgotten once reaped.
 *
 * Not vfork: its parent sleeps until the child's execve has read the program from a disk, and PID 1 never sleeps on a
 * disk. The copy of PID 1 is small. clone3 is called raw, musl 1.2.3 has no wrapper; the child must not use what the
 * C library keeps per thread beyond errno, and does not.
 */
#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/node.h"

/* Raw: the library keeps signals 32 to 34 for itself and refuses to touch them. */
static const unsigned long to_default[4]; /* the kernel's struct sigaction: SIG_DFL, no flags, empty mask */

static void forget_handlers(void)
{
	for (int sig = 1; sig < 65; sig++)
		syscall(SYS_rt_sigaction, sig, to_default, NULL, 8);
}

void ignore_nothing(void)
{
	unsigned long action[4];

	for (int sig = 1; sig < 65; sig++)
		if (syscall(SYS_rt_sigaction, sig, NULL, action, 8) == 0 && action[0] == (unsigned long)SIG_IGN)
			syscall(SYS_rt_sigaction, sig, to_default, NULL, 8);
}

/* No handler of PID 1 is ever the child's: one for faults would take the machine down from there. */
static pid_t clone_into(int cgroup, int *pidfd)
{
	struct clone_args args;

	memset(&args, 0, sizeof args);
	args.flags = CLONE_PIDFD | CLONE_CLEAR_SIGHAND;
	args.pidfd = (uint64_t)(uintptr_t)pidfd;
	args.exit_signal = SIGCHLD;
	if (cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)(unsigned)cgroup;
	}
	return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

/* An older kernel, or one that forbids clone3: fork, and the child joins the cgroup itself. */
pid_t fork_and_join(int cgroup, int *pidfd)
{
	pid_t pid;

	*pidfd = -1;
	pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid > 0)
		*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pid == 0)
		forget_handlers();
	if (pid == 0 && cgroup >= 0) {
		int procs = (int)syscall(SYS_openat, cgroup, "cgroup.procs", 1 /* O_WRONLY */);

		if (procs >= 0) {
			(void)!write(procs, "0", 1);
			close(procs);
		}
	}
	return pid;
}

pid_t fork_into(int cgroup, int *pidfd)
{
	pid_t pid;

	*pidfd = -1;
	pid = clone_into(cgroup, pidfd);
	if (pid >= 0 || errno == EAGAIN || errno == ENOMEM || errno == EMFILE || errno == ENFILE)
		return pid;
	return fork_and_join(cgroup, pidfd);
}

void child_reset(void)
{
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int child_start(struct node *n, struct child *child, unsigned index)
{
	pid_t pid = fork_into(-1, &child->fd);

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		child_reset();
		return 0;
	}
	child->pid = pid;
	if (child->fd >= 0)
		source_add(n, child->fd, EPOLLIN, SRC_CHILD, index);
	return pid;
}

void child_signal(const struct child *child, int sig)
{
	if (child->pid <= 0)
		return;
	if (child->fd < 0 || syscall(SYS_pidfd_send_signal, child->fd, sig, NULL, 0) < 0)
		kill(child->pid, sig); /* not reaped, so the number is still its own */
}

void child_end(struct node *n, struct child *child)
{
	source_close(n, &child->fd);
	child->pid = 0;
}
