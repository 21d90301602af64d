/* The client's side of init/supervise/control.c. */
#include "api/control_client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define ANSWER_MAX (256u << 10)
#define PACKET_MAX 65536

static int open_control(const char *path, int timeout_ms, struct err *err)
{
	struct timeval bound = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return err_errno(err, "socket");
	if (snprintf(to.sun_path, sizeof to.sun_path, "%s", path) >= (int)sizeof to.sun_path)
		return err_set(err, ENAMETOOLONG, "%s: the path is too long", path);
	if (timeout_ms && (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &bound, sizeof bound) < 0 ||
			   setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &bound, sizeof bound) < 0))
		return err_errno(err, "%s", path);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		return errno == ENOENT
			       ? err_set(err, ENOENT, "expected init's socket %s, found none: " RUN_ON_A_NODE, path)
			       : err_errno(err, "ask PID 1 at %s", path);
	return take_fd(&fd);
}

/* The last line is the verdict: "ok …" or "error …". */
static int judge(struct buf *all, struct buf *answer, struct err *err)
{
	char *text = all->data, *last;

	if (!all->len)
		return err_set(err, ECONNRESET, "PID 1 gave no answer");
	last = memrchr(text, '\n', all->len);
	last = last ? last + 1 : text;
	if (!strncmp(last, "error ", 6))
		return err_set(err, EREMOTEIO, "%s", last + 6);
	if (strncmp(last, "ok", 2))
		return err_set(err, EBADMSG, "PID 1's answer broke off");
	return answer && last > text ? buf_add(answer, text, (size_t)(last - text)) : 0;
}

int control_request(const char *path, const char *request, int timeout_ms, struct buf *answer, struct err *err)
{
	_cleanup_(buf_free) struct buf all = {.max = ANSWER_MAX};
	_cleanup_close_ int fd = open_control(path, timeout_ms, err);
	char packet[PACKET_MAX];
	char line[256];
	int len = snprintf(line, sizeof line, "keelson 1 %s", request);
	ssize_t got;

	if (fd < 0)
		return fd;
	if (len >= (int)sizeof line)
		return err_set(err, EINVAL, "the request is too long");
	if (send(fd, line, (size_t)len, MSG_NOSIGNAL) < 0)
		return err_errno(err, "ask PID 1");
	while ((got = recv(fd, packet, sizeof packet, 0)) > 0)
		if (buf_add(&all, packet, (size_t)got) < 0)
			return err_set(err, EFBIG, "PID 1's answer is too long");
	/* An answer that is whole counts, whatever became of the connection behind it. */
	if (got < 0 && !all.len)
		return err_errno(err, "PID 1's answer");
	return judge(&all, answer, err);
}
