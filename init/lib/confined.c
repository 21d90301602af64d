/* A child without rights, and its answer. */
#include "lib/confined.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define NOBODY 65534
#define MEMORY_MAX ((rlim_t)512 << 20)
#define CPU_SECONDS 30
#define REAP_TRIES 200 /* of 10 ms */

/* First in the answer: what the child returned, and its line of context. */
struct verdict {
	int result;
	struct err err;
};

#if defined __x86_64__
#define ARCH AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCH AUDIT_ARCH_AARCH64
#else
#error "no system call table for this machine"
#endif

/* Reading, writing, memory, ending. Everything else fails with EPERM; nothing in here opens anything. */
static const int allowed[] = {
	SYS_read,	 SYS_readv,	 SYS_pread64, SYS_write,	  SYS_writev,	    SYS_lseek,
	SYS_close,	 SYS_fstat,	 SYS_mmap,    SYS_munmap,	  SYS_mremap,	    SYS_mprotect,
	SYS_madvise,	 SYS_brk,	 SYS_futex,   SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_clock_gettime,
	SYS_getpid,	 SYS_gettid,	 SYS_tgkill,  SYS_getrandom,	  SYS_sched_yield,  SYS_fadvise64,
	SYS_exit,	 SYS_exit_group,
#ifdef __SANITIZE_ADDRESS__
	SYS_sigaltstack,
#endif
};

#define ALLOWED (sizeof allowed / sizeof allowed[0])

static int filter_system_calls(void)
{
	struct sock_filter filter[ALLOWED + 6];
	struct sock_fprog program = {.filter = filter};
	unsigned short n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ALLOWED; i++)
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i],
							   (unsigned char)(ALLOWED - i), 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = n;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

static void set_limit(int resource, rlim_t most)
{
	struct rlimit limit = {most, most};

	setrlimit((__typeof__(RLIMIT_CPU))resource, &limit);
}

static int give_up_rights(struct err *err)
{
	int r;

	set_limit(RLIMIT_CPU, CPU_SECONDS);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_FSIZE, 0);
#ifndef __SANITIZE_ADDRESS__
	set_limit(RLIMIT_AS, MEMORY_MAX);
#endif
	for (unsigned long cap = 0; prctl(PR_CAPBSET_DROP, cap) == 0; cap++)
		;
	if (geteuid() == 0 &&
	    (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0))
		return err_errno(err, "give up rights");
	/* after the change of user, which clears it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_errno(err, "give up rights: no new privileges");
	r = filter_system_calls();
	return r < 0 ? err_set(err, -r, "give up rights: seccomp: %s", strerror(-r)) : 0;
}

static _Noreturn void confined_child(const struct confined *confined, int out)
{
	struct buf answer = {.max = confined->answer_max};
	struct verdict verdict = {0};

	signal(SIGPIPE, SIG_IGN);
	if (confined->prepare)
		verdict.result = confined->prepare(confined->arg, &verdict.err);
	if (verdict.result >= 0)
		verdict.result = give_up_rights(&verdict.err);
	if (verdict.result >= 0)
		verdict.result = confined->work(confined->arg, &answer, &verdict.err);
	if (write_all(out, &verdict, sizeof verdict) == 0)
		write_all(out, buf_string(&answer), answer.len);
	_exit(0);
}

static int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int read_until(int fd, int64_t deadline, struct buf *buf)
{
	for (;;) {
		struct pollfd poll_fd = {fd, POLLIN, 0};
		int64_t left = deadline - clock_ms();
		char chunk[8192];
		ssize_t n;
		int r;

		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&poll_fd, 1, (int)left) <= 0)
			continue;
		n = read(fd, chunk, sizeof chunk);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
		r = n > 0 ? buf_add(buf, chunk, (size_t)n) : 0;
		if (r < 0)
			return r;
	}
}

/* A child that a drive holds fast does not even die: it is left behind rather than waited for. */
static int reap(pid_t pid, bool killed)
{
	struct timespec pause = {0, 10000000};
	int status = 0;

	for (int i = 0; i < REAP_TRIES || !killed; i++) {
		pid_t got = waitpid(pid, &status, killed ? WNOHANG : 0);

		if (got == pid || (got < 0 && errno != EINTR))
			break;
		if (killed)
			nanosleep(&pause, NULL);
	}
	return status;
}

static int judge_child(const struct buf *raw, int r, int status, int timeout_ms, struct buf *answer, struct err *err)
{
	struct verdict verdict;

	if (r == -ETIMEDOUT)
		return err_set(err, ETIMEDOUT, "no end after %d ms, killed", timeout_ms);
	if (r < 0)
		return err_set(err, -r, "answer: %s", strerror(-r));
	if (WIFSIGNALED(status))
		return err_set(err, EPROTO, "the reader was ended by signal %d", WTERMSIG(status));
	if (raw->len < sizeof verdict)
		return err_set(err, EPROTO, "the reader ended without an answer");
	memcpy(&verdict, raw->data, sizeof verdict);
	/* it comes from where nothing is trusted */
	verdict.err.text[sizeof verdict.err.text - 1] = 0;
	if (verdict.result < -4095 || verdict.result > 0)
		return err_set(err, EPROTO, "the reader answered nonsense");
	if (verdict.result < 0) {
		if (err)
			*err = verdict.err;
		return verdict.result;
	}
	r = buf_add(answer, raw->data + sizeof verdict, raw->len - sizeof verdict);
	return r < 0 ? err_set(err, -r, "answer: %s", strerror(-r)) : 0;
}

int confined_run(const struct confined *confined, struct buf *answer, struct err *err)
{
	_cleanup_(buf_free) struct buf raw = {.max = confined->answer_max + sizeof(struct verdict)};
	int64_t deadline = clock_ms() + confined->timeout_ms;
	_cleanup_close_ int in = -1, out = -1;
	int pipe_fds[2], status, r;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return err_errno(err, "pipe");
	in = pipe_fds[0];
	out = pipe_fds[1];
	pid = fork();
	if (pid < 0)
		return err_errno(err, "fork");
	if (pid == 0)
		confined_child(confined, out);
	close(take_fd(&out));
	r = read_until(in, deadline, &raw);
	if (r < 0)
		kill(pid, SIGKILL);
	status = reap(pid, r < 0);
	return judge_child(&raw, r, status, confined->timeout_ms, answer, err);
}
