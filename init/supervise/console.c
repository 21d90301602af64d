/* The boot story on every console of the machine. A console that does not take it loses lines; nobody waits for one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "lib/utf8.h"
#include "supervise/node.h"

#define RETRY_MS 1000

static void add_console(struct node *n, const char *path)
{
	struct console *c;

	if (n->console_count == CONSOLES_MAX)
		return;
	c = &n->consoles[n->console_count++];
	snprintf(c->path, sizeof c->path, "%s", path);
	c->fd = -1;
}

/* only: a path instead of the kernel's list, for tests. */
void console_open_all(struct node *n, const char *only)
{
	char names[256] = "console";
	char *rest = names, *name;
	int fd;

	if (only) {
		add_console(n, only);
		return;
	}
	fd = open("/sys/class/tty/console/active", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		ssize_t got = read(fd, names, sizeof names - 1);

		if (got > 0)
			names[got] = 0;
		close(fd);
	}
	while ((name = strsep(&rest, " \n"))) {
		char path[64];

		if (!*name)
			continue;
		snprintf(path, sizeof path, "/dev/%s", name);
		add_console(n, path);
	}
}

/* O_NONBLOCK: opening a serial line would wait for its carrier, writing for whoever sent XOFF. */
static bool console_ready(struct console *c)
{
	int64_t now;

	if (c->fd >= 0)
		return true;
	now = now_ms_boot();
	if (now < c->retry_at)
		return false;
	c->retry_at = now + RETRY_MS;
	c->fd = open(c->path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return c->fd >= 0;
}

static void watch(struct node *n, unsigned index, bool on)
{
	struct console *c = &n->consoles[index];

	if (on == c->watched || c->fd < 0)
		return;
	if (on)
		c->watched = source_add(n, c->fd, EPOLLOUT, SRC_CONSOLE, index) == 0;
	else
		c->watched = epoll_ctl(n->epoll, EPOLL_CTL_DEL, c->fd, NULL) < 0;
}

void console_flush(struct node *n, unsigned index)
{
	struct console *c = &n->consoles[index];
	ssize_t put;

	if (!c->len || !console_ready(c))
		return;
	put = write(c->fd, c->pending, c->len);
	if (put < 0 && errno != EAGAIN && errno != EINTR) {
		/* Hung up: opened anew with the next line. */
		source_close(n, &c->fd);
		c->watched = false;
		c->len = 0;
		return;
	}
	n->in_vain |= put < 0 && c->watched;
	if (put > 0) {
		c->len -= (uint32_t)put;
		memmove(c->pending, c->pending + put, c->len);
	}
	watch(n, index, c->len > 0);
}

static void append(struct console *c, const char *line, size_t len)
{
	char note[48];
	int size = 0;

	if (c->dropped)
		size = snprintf(note, sizeof note, "(%u lines dropped)\n", c->dropped);
	if (len + (size_t)size > sizeof c->pending - c->len) {
		c->dropped++;
		return;
	}
	memcpy(c->pending + c->len, note, (size_t)size);
	memcpy(c->pending + c->len + size, line, len);
	c->len += (uint32_t)len + (uint32_t)size;
	c->dropped = 0;
}

void console_line(struct node *n, const char *name, const char *text, size_t len)
{
	struct timespec t;
	char line[512];
	size_t size;

	clock_gettime(CLOCK_BOOTTIME, &t);
	snprintf(line, sizeof line - 1, "[%2lld.%02ld] %-11s %.*s", (long long)t.tv_sec, t.tv_nsec / 10000000, name,
		 (int)len, text);
	/* Control characters would let a service, or what it repeats from the network, repaint the screen. Those of
	 * two bytes too: the kernel's terminal takes U+009B for ESC [. Source: drivers/tty/vt/vt.c, do_con_trol(). */
	utf8_printable(line);
	size = strlen(line);
	line[size++] = '\n';
	for (unsigned k = 0; k < n->console_count; k++) {
		append(&n->consoles[k], line, size);
		console_flush(n, k);
	}
}
