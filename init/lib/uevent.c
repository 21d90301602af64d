/* The kernel's device events.
 *
 * Group 1 of NETLINK_KOBJECT_UEVENT is the kernel's. Any process in the same network namespace could send to our
 * address, so the sender's port must be 0, which only the kernel has.
 */
#include "lib/uevent.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define KERNEL_GROUP 1
#define RECEIVE_BYTES (1 << 20)

static void take_field(char *word, struct uevent *event)
{
	const struct {
		const char *name;
		const char **value;
	} fields[] = {
		{"ACTION=", &event->action},   {"DEVPATH=", &event->devpath}, {"SUBSYSTEM=", &event->subsystem},
		{"DEVNAME=", &event->devname}, {"DEVTYPE=", &event->devtype}, {"MODALIAS=", &event->modalias},
	};

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		size_t len = strlen(fields[i].name);

		if (!strncmp(word, fields[i].name, len))
			*fields[i].value = word + len;
	}
}

static int climbs(const char *path)
{
	return strstr(path, "..") != NULL;
}

int uevent_parse(char *message, size_t len, struct uevent *event)
{
	char *at, *end = message + len;

	memset(event, 0, sizeof *event);
	message[len] = 0;
	/* "add@/devices/…", then NAME=value strings. */
	at = memchr(message, '@', strnlen(message, len));
	if (!at || at == message || at[1] != '/')
		return -EBADMSG;
	for (at = message + strlen(message) + 1; at < end; at += strlen(at) + 1)
		take_field(at, event);
	if (!event->action || !event->devpath || !event->subsystem)
		return -EBADMSG;
	if (event->devpath[0] != '/' || climbs(event->devpath) || strchr(event->subsystem, '/'))
		return -EBADMSG;
	if (event->devname && (event->devname[0] == '/' || climbs(event->devname)))
		return -EBADMSG;
	return 0;
}

int uevent_open(struct err *err)
{
	struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	_cleanup_close_ int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	int bytes = RECEIVE_BYTES;

	if (fd < 0)
		return err_errno(err, "open the socket for device events");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return err_errno(err, "listen to device events");
	return take_fd(&fd);
}

int uevent_take(int fd, char *buffer, struct uevent *event)
{
	for (;;) {
		struct sockaddr_nl from = {0};
		struct iovec data = {buffer, UEVENT_MAX};
		struct msghdr message = {
			.msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &data, .msg_iovlen = 1};
		ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (from.nl_pid || !(from.nl_groups & KERNEL_GROUP) || message.msg_flags & MSG_TRUNC)
			continue;
		if (!uevent_parse(buffer, (size_t)n, event))
			return 1;
	}
}
