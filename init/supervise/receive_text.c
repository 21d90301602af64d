/* Read a message, and get rid of the descriptors that its sender put beside it.
 *
 * Whoever closes a file last may wait in the kernel as long as its sender likes: for a connection with SO_LINGER whose
 * other end reads nothing (socket(7)), for a file system that does not answer. So a child holds them while PID 1 closes
 * its own, and is killed: an ending process does not linger, and where it waits nevertheless it waits alone. To give
 * recvmsg no room for descriptors is no way out: the kernel then closes them within the call.
 */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/node.h"

#define DESCRIPTORS_MAX 253 /* the kernel's SCM_MAX_FD */

static void close_elsewhere(const struct cmsghdr *head)
{
	size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	struct child holder = {0, -1};
	int fd;

	holder.pid = fork_into(-1, &holder.fd);
	while (holder.pid == 0)
		pause();
	for (size_t k = 0; k < count; k++) {
		memcpy(&fd, CMSG_DATA(head) + k * sizeof fd, sizeof fd);
		close(fd);
	}
	child_signal(&holder, SIGKILL);
	if (holder.fd >= 0)
		close(holder.fd);
}

ssize_t receive_text(int fd, void *text, size_t size)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
	} control;
	struct iovec data = {text, size};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
	ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (got < 0)
		return got;
	for (struct cmsghdr *head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head))
		if (head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
			close_elsewhere(head);
	return got;
}
