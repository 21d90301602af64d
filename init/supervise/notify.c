/* What a service says about itself: READY=1 and STATUS=what it does on a socket of its own, a newline on a descriptor,
 * or an error before exec.
 *
 * Who speaks is told by the socket, not by looking up the sender: a process that says READY=1 and ends at once is
 * heard.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "supervise/node.h"

#define MESSAGES_AT_ONCE 16

int notify_open(struct node *n, unsigned i)
{
	const struct service *s = &n->set.services[i];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = -1;
	int r;

	if (n->slots[i].notify >= 0)
		return 0;
	r = snprintf(address.sun_path, sizeof address.sun_path, "%s/notify/%s", n->run, s->name);
	if (r >= (int)sizeof address.sun_path)
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	unlink(address.sun_path);
	if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0)
		return -errno;
	/* A service with a user of its own must reach it; the name is no secret, and a lie only harms the liar. */
	chmod(address.sun_path, s->user.count ? 0622 : 0600);
	r = source_add(n, fd, EPOLLIN, SRC_NOTIFY, i);
	if (r < 0)
		return r;
	n->slots[i].notify = take_fd(&fd);
	return 0;
}

/* A message is lines NAME=value: cut the next one off. */
static bool next_line(const char **message, size_t *len, const char **line, size_t *size)
{
	const char *newline = memchr(*message, '\n', *len);

	*line = *message;
	*size = newline ? (size_t)(newline - *message) : *len;
	*message += *size + (newline != NULL);
	*len -= *size + (newline != NULL);
	return *size || newline;
}

bool notify_says_ready(const char *message, size_t len)
{
	static const char ready[] = "READY=1";
	const char *line;
	size_t size;

	while (next_line(&message, &len, &line, &size))
		if (size == sizeof ready - 1 && !memcmp(line, ready, size))
			return true;
	return false;
}

/* status stays as it is when the message has no line STATUS=. */
void notify_take_status(const char *message, size_t len, char *status, size_t size)
{
	static const char name[] = "STATUS=";
	size_t begins = sizeof name - 1, of_line;
	const char *line;

	while (next_line(&message, &len, &line, &of_line))
		if (of_line >= begins && !memcmp(line, name, begins))
			snprintf(status, size, "%.*s", (int)(of_line - begins), line + begins);
}

void notify_drain(struct node *n, unsigned i, bool discard)
{
	char message[4096];

	if (n->slots[i].notify < 0)
		return;
	for (unsigned k = 0; k < (discard ? 4096u : MESSAGES_AT_ONCE); k++) {
		ssize_t got = receive_text(n->slots[i].notify, message, sizeof message);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			n->in_vain |= k == 0 && !discard;
			return;
		}
		if (!discard)
			notify_take_status(message, (size_t)got, n->status[i], sizeof n->status[i]);
		if (!discard && notify_says_ready(message, (size_t)got))
			machine_event(&n->machine, i, EV_READY);
	}
}

void report_drain(struct node *n, unsigned i)
{
	struct child_report report;
	char text[160];
	ssize_t got;

	if (n->slots[i].report < 0)
		return;
	got = read(n->slots[i].report, &report, sizeof report);
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		n->in_vain = true;
		return;
	}
	source_close(n, &n->slots[i].report);
	if (got != sizeof report) {
		machine_event(&n->machine, i, EV_EXECUTED);
		return;
	}
	if (report.stage == STAGE_CONDITION) {
		machine_event(&n->machine, i, EV_SKIP);
		return;
	}
	snprintf(text, sizeof text, "cannot %s: %s", stage_name(report.stage), strerror(report.errnum));
	snprintf(n->last_words[i], sizeof n->last_words[i], "%s", text);
}

void ready_drain(struct node *n, unsigned i)
{
	char text[256];
	ssize_t got;

	if (n->slots[i].ready < 0)
		return;
	got = read(n->slots[i].ready, text, sizeof text);
	if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
		n->in_vain = true;
		return;
	}
	if (got <= 0) {
		source_close(n, &n->slots[i].ready);
		return;
	}
	if (!memchr(text, '\n', (size_t)got))
		return;
	source_close(n, &n->slots[i].ready);
	machine_event(&n->machine, i, EV_READY);
}
