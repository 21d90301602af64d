/* Ask containerd's CRI over its socket. */
#include "cluster/cri.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define IN_MAX ((size_t)64 << 10)

struct cri_exchange {
	int fd;
	int64_t deadline, tell_at; /* tell_at 0: never */
	const struct cri_progress *progress;
	struct buf in, out;
	size_t sent;
};

static int64_t monotonic_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int open_socket(const char *path, int *fd, struct err *err)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	_cleanup_close_ int s = -1;

	if (strlen(path) >= sizeof to.sun_path)
		return err_set(err, ENAMETOOLONG, "%s: too long for a socket", path);
	strcpy(to.sun_path, path);
	s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* A full backlog is EAGAIN here: a stopped server that nobody accepts for. */
	if (s < 0 || connect(s, (struct sockaddr *)&to, sizeof to) < 0)
		return err_errno(err, "connect to %s", path);
	*fd = take_fd(&s);
	return 0;
}

static int send_some(struct cri_exchange *x, struct err *err)
{
	ssize_t n = send(x->fd, x->out.data + x->sent, x->out.len - x->sent, MSG_NOSIGNAL);

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return err_errno(err, "send");
	if (n > 0)
		x->sent += (size_t)n;
	return 0;
}

static int receive_some(struct cri_exchange *x, struct err *err)
{
	char chunk[16384];
	ssize_t n = read(x->fd, chunk, sizeof chunk);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : err_errno(err, "receive");
	if (n == 0)
		return err_set(err, EPROTO, "the server closed the connection");
	return buf_add(&x->in, chunk, (size_t)n) < 0 ? err_set(err, EPROTO, "receive: too much at once") : 0;
}

static bool all_done(const struct grpc_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i].state == GRPC_WAITING)
			return false;
	return true;
}

/* Milliseconds until something is due; tells what is. */
static int64_t tell_progress(struct cri_exchange *x, const struct grpc_call *calls, size_t count)
{
	int64_t now = monotonic_ms(), left = x->deadline - now;

	if (x->tell_at && now >= x->tell_at) {
		x->tell_at += x->progress->every_ms;
		x->progress->tell(x->progress->arg, calls, count);
	}
	return x->tell_at && x->tell_at - now < left ? x->tell_at - now : left;
}

static int exchange(struct cri_exchange *x, struct grpc_call *calls, size_t count, struct err *err)
{
	while (!all_done(calls, count)) {
		short events = (short)(POLLIN | (x->sent < x->out.len ? POLLOUT : 0));
		struct pollfd poll_fd = {x->fd, events, 0};
		int64_t pause = tell_progress(x, calls, count);
		int r = 0;

		if (monotonic_ms() >= x->deadline)
			return err_set(err, ETIMEDOUT, "no answer in time");
		if (poll(&poll_fd, 1, pause > 0 ? (int)pause : 0) < 0 && errno != EINTR)
			return err_errno(err, "poll");
		if (poll_fd.revents & POLLOUT)
			r = send_some(x, err);
		if (!r && poll_fd.revents & (POLLIN | POLLHUP | POLLERR))
			r = receive_some(x, err);
		if (!r)
			r = grpc_take(&x->in, &x->out, calls, count, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int ask_version(const char *socket_path, const char *version, const struct cri_request *requests, size_t count,
		       struct grpc_call *calls, int timeout_ms, const struct cri_progress *progress, struct err *err)
{
	_cleanup_close_ int fd = -1;
	int64_t now = monotonic_ms();
	struct cri_exchange x = {.deadline = now + timeout_ms,
				 .tell_at = progress ? now + progress->every_ms : 0,
				 .progress = progress,
				 .in.max = IN_MAX};
	int r = open_socket(socket_path, &fd, err);

	if (r < 0)
		return r;
	x.fd = fd;
	r = grpc_add_preface(&x.out);
	for (size_t i = 0; !r && i < count; i++) {
		char path[121];

		snprintf(path, sizeof path, "/runtime.%s.%s", version, requests[i].method);
		buf_free(&calls[i].data);
		calls[i] = (struct grpc_call){.stream = (uint32_t)(2 * i + 1)};
		r = grpc_add_call(&x.out, calls[i].stream, path, requests[i].message, requests[i].len);
	}
	r = r < 0 ? err_set(err, -r, "gRPC request: %s", strerror(-r)) : exchange(&x, calls, count, err);
	buf_free(&x.in);
	buf_free(&x.out);
	return r;
}

static bool all_refused(const struct grpc_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i].state != GRPC_REFUSED)
			return false;
	return count > 0;
}

int cri_ask(const char *socket_path, const struct cri_request *requests, size_t count, struct grpc_call *calls,
	    int timeout_ms, const struct cri_progress *progress, struct err *err)
{
	int r = ask_version(socket_path, "v1", requests, count, calls, timeout_ms, progress, err);

	if (!r && all_refused(calls, count))
		r = ask_version(socket_path, "v1alpha2", requests, count, calls, timeout_ms, progress, err);
	return r ? err_wrap(err, r, "CRI") : 0;
}

int cri_ask_one(const char *socket_path, const struct cri_request *request, struct grpc_call *call, int timeout_ms,
		struct err *err)
{
	int r = cri_ask(socket_path, request, 1, call, timeout_ms, NULL, err);

	if (!r && call->state != GRPC_ANSWERED)
		r = err_set(err, EIO, "CRI: %s was refused", request->method);
	return r;
}
