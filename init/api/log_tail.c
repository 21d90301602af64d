/* Following a file that is renamed away when it is full, and made anew. */
#include "api/log_tail.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void log_tail_close(struct log_tail *tail)
{
	if (tail->fd >= 0)
		close(tail->fd);
	tail->fd = -1;
}

static void open_file(struct log_tail *tail)
{
	log_tail_close(tail);
	tail->fd = open(tail->path, O_RDONLY | O_CLOEXEC);
}

void log_tail_open(struct log_tail *tail, const char *path)
{
	*tail = (struct log_tail){.path = path, .fd = -1};
	open_file(tail);
	if (tail->fd >= 0)
		lseek(tail->fd, 0, SEEK_END);
}

static bool renamed_away(const struct log_tail *tail)
{
	struct stat here, there;

	return tail->fd < 0 || (!fstat(tail->fd, &here) && !stat(tail->path, &there) && here.st_ino != there.st_ino);
}

/* Whether the file was renamed is asked before its last bytes are read: what is written in between belongs to it. */
static ssize_t read_more(struct log_tail *tail)
{
	bool renamed = renamed_away(tail);
	char *to = tail->data + tail->used;
	size_t room = sizeof tail->data - 1 - tail->used;
	ssize_t n = tail->fd < 0 ? 0 : read(tail->fd, to, room);

	if (n > 0 || !renamed)
		return n;
	open_file(tail);
	return tail->fd < 0 ? 0 : read(tail->fd, to, room);
}

/* Room for more: what was given out goes. */
static void make_place(struct log_tail *tail)
{
	memmove(tail->data, tail->data + tail->at, tail->used - tail->at);
	tail->used -= tail->at;
	tail->at = 0;
}

static const char *give(struct log_tail *tail, size_t end)
{
	const char *line = tail->data + tail->at;

	tail->data[end] = 0;
	tail->at = end < tail->used ? end + 1 : end;
	return line;
}

const char *log_tail_next(struct log_tail *tail)
{
	for (;;) {
		const char *end = memchr(tail->data + tail->at, '\n', tail->used - tail->at);
		ssize_t n;

		if (end)
			return give(tail, (size_t)(end - tail->data));
		make_place(tail);
		if (tail->used == sizeof tail->data - 1)
			return give(tail, tail->used);
		n = read_more(tail);
		if (n <= 0)
			return NULL;
		tail->used += (size_t)n;
	}
}
