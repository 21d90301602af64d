/* The boot story's lines, readiness, and what a service waits for. */
#include "lib/story.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "lib/cleanup.h"

void story(const char *format, ...)
{
	char line[1024];
	va_list args;
	size_t len;

	va_start(args, format);
	vsnprintf(line, sizeof line - 1, format, args);
	va_end(args);
	len = strlen(line);
	line[len++] = '\n';
	/* One write, so that lines of two processes of a service never mix. */
	(void)!write(STDOUT_FILENO, line, len);
}

static int tell_init(const char *message)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = -1;
	size_t len;

	if (!path)
		return 0;
	len = strlen(path);
	if (!len || len >= sizeof to.sun_path)
		return -EINVAL;
	memcpy(to.sun_path, path, len + 1);
	if (path[0] == '@')
		to.sun_path[0] = 0;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&to,
		   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) < 0)
		return -errno;
	return 0;
}

int notify_ready(void)
{
	return tell_init("READY=1");
}

int notify_status(const char *text)
{
	char message[300];

	snprintf(message, sizeof message, "STATUS=%s", text);
	return tell_init(message);
}
