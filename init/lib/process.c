/* Run a program to its end, with a bound on time and on what is read from it. */
#include "lib/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define TAIL_BYTES 400

extern char **environ;

struct run {
	pid_t pid;
	int in, out, error, failed; /* our ends; -1 once closed. failed: errno of a failed exec */
	size_t written;
	struct buf tail;	    /* the end of standard error */
	int64_t started, next_tick; /* ms; next_tick 0: never */
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void run_close(struct run *run)
{
	closep(&run->in);
	closep(&run->out);
	closep(&run->error);
	closep(&run->failed);
	buf_free(&run->tail);
}

static _Noreturn void child(const struct process *p, int in, int out, int error, int failed)
{
	sigset_t none;
	int errnum;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	if (in < 0)
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (out < 0 && p->quiet)
		out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (dup2(in, 0) >= 0 && (out < 0 || dup2(out, 1) >= 0) && dup2(error, 2) >= 0 &&
	    (!p->directory || chdir(p->directory) == 0)) {
		if (p->env)
			environ = (char **)(uintptr_t)p->env;
		execvp(p->argv[0], (char *const *)(uintptr_t)p->argv);
	}
	errnum = errno;
	(void)!write(failed, &errnum, sizeof errnum);
	_exit(127);
}

static int start(const struct process *p, struct run *run, struct err *err)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1}, failed[2] = {-1, -1};
	int r = 0;

	if ((p->input && pipe2(in, O_CLOEXEC) < 0) || (p->output && pipe2(out, O_CLOEXEC) < 0) ||
	    pipe2(error, O_CLOEXEC) < 0 || pipe2(failed, O_CLOEXEC) < 0)
		r = err_errno(err, "run %s: pipe", p->argv[0]);
	if (!r) {
		run->pid = fork();
		if (run->pid == 0)
			child(p, in[0], out[1], error[1], failed[1]);
		if (run->pid < 0)
			r = err_errno(err, "run %s: fork", p->argv[0]);
	}
	closep(&in[0]);
	closep(&out[1]);
	closep(&error[1]);
	closep(&failed[1]);
	run->in = in[1];
	run->out = out[0];
	run->error = error[0];
	run->failed = failed[0];
	if (run->in >= 0)
		fcntl(run->in, F_SETFL, O_NONBLOCK);
	return r;
}

static void give(struct run *run, const struct process *p)
{
	ssize_t n = write(run->in, (const char *)p->input + run->written, p->input_len - run->written);

	if (n > 0)
		run->written += (size_t)n;
	if ((n < 0 && errno != EAGAIN && errno != EINTR) || run->written == p->input_len) {
		close(run->in);
		run->in = -1;
	}
}

static void keep_tail(struct buf *tail)
{
	if (tail->len > TAIL_BYTES) {
		memmove(tail->data, tail->data + tail->len - TAIL_BYTES, TAIL_BYTES + 1);
		tail->len = TAIL_BYTES;
	}
}

/* Take what a pipe gives. Returns 0, or -EFBIG when output passes its bound. */
static int take(int *fd, struct buf *into)
{
	char chunk[4096];
	ssize_t n = read(*fd, chunk, sizeof chunk);

	if (n < 0 && errno == EINTR)
		return 0;
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	return buf_add(into, chunk, (size_t)n);
}

/* Call tick when it is due. Returns the ms until something is due: the deadline, or the next tick; -1: nothing. */
static int until_due(struct run *run, const struct process *p, int64_t deadline)
{
	int64_t now = now_ms(), due = deadline;

	if (p->tick && run->next_tick && now >= run->next_tick) {
		p->tick(p->tick_arg, (int)((now - run->started) / 1000));
		run->next_tick = now + p->tick_ms;
	}
	if (run->next_tick && (!due || run->next_tick < due))
		due = run->next_tick;
	if (!due)
		return -1;
	return due > now ? (int)(due - now) : 0;
}

/* Feed and drain until both outputs are closed. Returns 0, -ETIMEDOUT or -EFBIG. */
static int exchange(struct run *run, const struct process *p, int64_t deadline)
{
	while (run->out >= 0 || run->error >= 0) {
		struct pollfd fds[3] = {{run->in, POLLOUT, 0}, {run->out, POLLIN, 0}, {run->error, POLLIN, 0}};
		int r = 0;

		if (deadline && now_ms() >= deadline)
			return -ETIMEDOUT;
		if (poll(fds, 3, until_due(run, p, deadline)) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents)
			give(run, p);
		if (fds[1].revents)
			r = take(&run->out, p->output);
		if (!r && fds[2].revents)
			r = take(&run->error, &run->tail);
		keep_tail(&run->tail);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Wait for the exit itself: a program may close its outputs long before it ends. */
static int await_exit(struct run *run, const struct process *p, int64_t deadline, int *status)
{
	for (;;) {
		bool bounded = deadline || run->next_tick;
		pid_t got = waitpid(run->pid, status, bounded ? WNOHANG : 0);
		struct timespec pause = {0, 5000000};

		if (got == run->pid)
			return 0;
		if (got < 0 && errno != EINTR)
			return -errno;
		if (deadline && now_ms() >= deadline)
			return -ETIMEDOUT;
		until_due(run, p, deadline);
		if (bounded)
			nanosleep(&pause, NULL);
	}
}

static const char *last_line(struct buf *tail)
{
	char *newline;

	while (tail->len && (tail->data[tail->len - 1] == '\n' || tail->data[tail->len - 1] == ' '))
		tail->data[--tail->len] = 0;
	if (!tail->len)
		return "it said nothing";
	newline = strrchr(tail->data, '\n');
	return newline ? newline + 1 : tail->data;
}

static int judge(struct run *run, const struct process *p, int r, int status, struct err *err)
{
	const char *name = p->argv[0];
	int errnum = 0;

	if (read(run->failed, &errnum, sizeof errnum) == sizeof errnum)
		return err_set(err, errnum, "run %s: %s", name, strerror(errnum));
	if (r == -ETIMEDOUT)
		return err_set(err, ETIMEDOUT, "%s: no end after %d ms, killed", name, p->timeout_ms);
	if (r < 0)
		return err_set(err, -r, "%s: reading what it prints: %s", name, strerror(-r));
	if (WIFSIGNALED(status))
		return err_set(err, EINTR, "%s: ended by signal %d", name, WTERMSIG(status));
	if (WEXITSTATUS(status))
		err_set(err, EIO, "%s: exit status %d: %s", name, WEXITSTATUS(status), last_line(&run->tail));
	return WEXITSTATUS(status);
}

int process_run(const struct process *p, struct err *err)
{
	_cleanup_(run_close) struct run run = {.pid = -1, .in = -1, .out = -1, .error = -1, .failed = -1};
	int64_t deadline = p->timeout_ms > 0 ? now_ms() + p->timeout_ms : 0;
	int status = 0;
	int r = start(p, &run, err);

	if (r < 0)
		return r;
	run.started = now_ms();
	run.next_tick = p->tick && p->tick_ms > 0 ? run.started + p->tick_ms : 0;
	r = exchange(&run, p, deadline);
	if (!r)
		r = await_exit(&run, p, deadline, &status);
	if (r < 0) {
		kill(run.pid, SIGKILL);
		waitpid(run.pid, &status, 0);
	}
	return judge(&run, p, r, status, err);
}

int process_run_ok(const struct process *p, struct err *err)
{
	int r = process_run(p, err);

	return r > 0 ? -EIO : r;
}
