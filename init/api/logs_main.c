/* keelson logs [-f] [-n LINES] [SERVICE]: what a service said, from the files of the log writer. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/control_client.h"
#include "api/last_lines.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define LOG_FOLDER "/var/log/keelson"
#define TAIL_BYTES (256 << 10)
#define DEFAULT_LINES 100

static int usage(void)
{
	fputs("usage: keelson logs [-f] [-n LINES] [SERVICE | init | kernel]\n", stderr);
	return 2;
}

static int print_tail(int fd, long lines)
{
	_cleanup_(buf_free) struct buf buf = {0};
	off_t end = lseek(fd, 0, SEEK_END);
	bool cut = end > TAIL_BYTES;
	const char *from;

	lseek(fd, cut ? end - TAIL_BYTES : 0, SEEK_SET);
	if (file_read_fd(fd, TAIL_BYTES * 2, &buf, NULL) < 0)
		return -EIO;
	from = last_lines(buf_string(&buf), buf.len, cut, lines);
	return write_all(STDOUT_FILENO, from, buf.len - (size_t)(from - buf_string(&buf)));
}

static int open_log(const char *name, bool wait)
{
	char path[256];
	int fd;

	snprintf(path, sizeof path, LOG_FOLDER "/%s.log", name);
	do {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && wait)
			usleep(200000);
	} while (fd < 0 && wait);
	return fd;
}

static int is_log(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(".log") && !strcmp(entry->d_name + len - strlen(".log"), ".log");
}

/* init has no log until it has something to say, and a name may be mistyped: say which logs there are. */
static int no_log(const char *name, int error)
{
	struct dirent **logs;
	int count = scandir(LOG_FOLDER, &logs, is_log, alphasort);

	fprintf(stderr, "keelson logs: no log of \"%s\": %s", name,
		error == ENOENT && count > 0 ? "it has said nothing yet, or is no service; there are"
					     : strerror(error));
	for (int i = 0; i < count; i++) {
		if (error == ENOENT)
			fprintf(stderr, " %.*s", (int)(strlen(logs[i]->d_name) - strlen(".log")), logs[i]->d_name);
		free(logs[i]);
	}
	if (count >= 0)
		free(logs);
	fputs(access(LOG_FOLDER, F_OK) < 0 ? ": " RUN_ON_A_NODE "\n" : "\n", stderr);
	return 1;
}

/* A file that was rotated away is read to its end, then the new one is opened. */
static bool rotated(const char *name, int fd)
{
	struct stat here, there;
	char path[256];

	snprintf(path, sizeof path, LOG_FOLDER "/%s.log", name);
	return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_ino != there.st_ino;
}

static int copy_new(int fd)
{
	char chunk[8192];
	ssize_t got;

	while ((got = read(fd, chunk, sizeof chunk)) > 0)
		if (write_all(STDOUT_FILENO, chunk, (size_t)got) < 0)
			return -EPIPE;
	return 0;
}

static int follow(const char *name, int fd)
{
	_cleanup_close_ int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char events[4096];

	if (watch < 0 || inotify_add_watch(watch, LOG_FOLDER, IN_MODIFY | IN_CREATE | IN_MOVED_FROM) < 0)
		return -errno;
	for (;;) {
		struct pollfd wait = {watch, POLLIN, 0};
		bool renamed;

		/* asked before the rest is read: what is written in between belongs to it */
		renamed = rotated(name, fd);
		if (copy_new(fd) < 0)
			return 0;
		if (renamed) {
			close(fd);
			fd = open_log(name, true);
			continue;
		}
		if (poll(&wait, 1, 5000) > 0)
			(void)!read(watch, events, sizeof events);
	}
}

/* Returns whether the text is a number of lines. */
static bool read_lines(const char *text, long *lines)
{
	*lines = strtol(text, NULL, 10);
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 9;
}

int logs_main(int argc, char **argv)
{
	long lines = DEFAULT_LINES;
	bool following = false;
	const char *name;
	int option, fd;

	while ((option = getopt(argc, argv, "fn:")) != -1) {
		if (option == 'f')
			following = true;
		else if (option != 'n' || !read_lines(optarg, &lines))
			return usage();
	}
	if (argc - optind > 1)
		return usage();
	name = argc > optind ? argv[optind] : "init";
	if (strchr(name, '/') || strlen(name) > 64)
		return usage();
	fd = open_log(name, false);
	if (fd < 0)
		return no_log(name, errno);
	if (print_tail(fd, lines) < 0)
		return 1;
	return following && follow(name, fd) < 0 ? 1 : 0;
}
