/* What services print: pipes that stay open across their restarts, cut into lines, put into the ring and on the
 * console. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "supervise/go_trace.h"
#include "supervise/node.h"

#define READ_AT_ONCE 16384
#define DRAIN_READS 8

static int64_t realtime_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int capture_open(struct node *n, unsigned i)
{
	for (unsigned k = 0; k < 2; k++) {
		struct stream *s = &n->slots[i].streams[k];
		int ends[2], r;

		if (s->read >= 0)
			continue;
		if (pipe2(ends, O_CLOEXEC) < 0)
			return -errno;
		r = fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
		if (!r)
			r = source_add(n, ends[0], EPOLLIN, k == LOG_OUT ? SRC_OUT : SRC_ERR, i);
		if (r < 0) {
			close(ends[0]);
			close(ends[1]);
			return r;
		}
		s->read = ends[0];
		s->write = ends[1];
	}
	return 0;
}

static bool shown(const struct node *n, unsigned i)
{
	return i == SLOT_MACHINE || n->set.services[i].story;
}

static const char *name_of(const struct node *n, int i)
{
	if (i >= 0 && i < SLOT_MACHINE)
		return n->set.services[i].name;
	return n->machine.ending ? "shutdown" : "init";
}

static void take_line(struct node *n, unsigned i, unsigned stream, const char *text, size_t len)
{
	while (len && (text[len - 1] == '\r' || text[len - 1] == ' '))
		len--;
	if (!len)
		return;
	ring_put(&n->ring, i == SLOT_MACHINE ? LOG_SOURCE_INIT : (uint8_t)i, (enum log_stream)stream, realtime_ms(),
		 text, len);
	if (stream == LOG_ERR && !go_trace_line(&n->slots[i].in_trace, text, len))
		snprintf(n->last_words[i], sizeof n->last_words[i], "%.*s", (int)len, text);
	if (!shown(n, i))
		return;
	console_line(n, name_of(n, (int)i), text, len);
	if (i != SLOT_MACHINE)
		machine_heard(&n->machine, i);
}

/* The beginning of a line is kept until its end comes, or until it is as long as a line may be. */
static void keep_partial(struct node *n, unsigned i, unsigned stream, const char *text, size_t len)
{
	struct stream *s = &n->slots[i].streams[stream];
	char *partial = n->partial[i][stream];

	while (len) {
		size_t room = LOG_LINE_MAX - s->len;
		size_t part = len < room ? len : room;

		memcpy(partial + s->len, text, part);
		s->len = (uint16_t)(s->len + part);
		text += part;
		len -= part;
		if (s->len == LOG_LINE_MAX) {
			take_line(n, i, stream, partial, s->len);
			s->len = 0;
		}
	}
}

static void take_text(struct node *n, unsigned i, unsigned stream, const char *text, size_t len)
{
	struct stream *s = &n->slots[i].streams[stream];

	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t line = newline ? (size_t)(newline - text) : len;

		if (!newline || s->len || line > LOG_LINE_MAX) {
			keep_partial(n, i, stream, text, line);
			if (newline) {
				take_line(n, i, stream, n->partial[i][stream], s->len);
				s->len = 0;
			}
		} else {
			take_line(n, i, stream, text, line);
		}
		text += line;
		len -= line;
		if (len) {
			text++;
			len--;
		}
	}
}

static bool read_once(struct node *n, unsigned i, unsigned stream)
{
	static char chunk[READ_AT_ONCE];
	ssize_t got = read(n->slots[i].streams[stream].read, chunk, sizeof chunk);

	if (got <= 0)
		return false;
	take_text(n, i, stream, chunk, (size_t)got);
	return true;
}

void capture_read(struct node *n, unsigned i, unsigned stream)
{
	if (n->slots[i].streams[stream].read >= 0 && !read_once(n, i, stream))
		n->in_vain = true;
}

/* Its main process has ended: what it said last comes before the news of its end. */
void capture_drain(struct node *n, unsigned i)
{
	for (unsigned k = 0; k < 2; k++) {
		struct stream *s = &n->slots[i].streams[k];

		for (unsigned reads = 0; s->read >= 0 && reads < DRAIN_READS && read_once(n, i, k); reads++)
			;
		if (s->len)
			take_line(n, i, k, n->partial[i][k], s->len);
		s->len = 0;
	}
}

void node_tell(struct node *n, int i, const char *text)
{
	ring_put(&n->ring, i >= 0 ? (uint8_t)i : LOG_SOURCE_INIT, LOG_INIT, realtime_ms(), text, strlen(text));
	console_line(n, name_of(n, i), text, strlen(text));
}
