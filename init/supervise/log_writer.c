/* The log writer: a child of PID 1 that owns /var/log/keelson and may block on its disk.
 *
 * NAME.log for each service, init.log for PID 1, kernel.log for the kernel. A file of LOG_FILE_BYTES becomes
 * NAME.log.1; so all logs together stay below (services + 2) * 2 * LOG_FILE_BYTES. A line: time, service, stream, text.
 * What cannot be written (full or read-only disk) is counted and told in the file once there is room again.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/file.h"
#include "supervise/node.h"

#define LOG_FILE_BYTES (4 << 20)
#define LOG_KERNEL (SERVICES_MAX + 1)
#define LOG_FILES (SERVICES_MAX + 2)
#define RECORDS_FD 3
#define KERNEL_FD 4
#define OLD_KERNEL_FDS 4096 /* where close_range is missing: more than PID 1 has */

struct log_file {
	int fd; /* -1: to be opened */
	int64_t size;
	int64_t retry_at;
	uint32_t lost;
};

static struct log_file files[LOG_FILES];

static const char *name_of(const struct service_set *set, unsigned file)
{
	if (file == LOG_KERNEL)
		return "kernel";
	return file < set->count ? set->services[file].name : "init";
}

static void format_time(int64_t realtime_ms, char *text, size_t size)
{
	time_t seconds = (time_t)(realtime_ms / 1000);
	struct tm tm;

	gmtime_r(&seconds, &tm);
	snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
		 tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(realtime_ms % 1000));
}

/* A pod that has /var/log may have put anything there: a FIFO would hold us until it has a reader. Returns -1 for it.
 */
static int open_regular(const char *path, int64_t *size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0640);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return -1;
	}
	*size = st.st_size;
	return fd;
}

static bool open_file(const struct service_set *set, const char *folder, unsigned file)
{
	struct log_file *f = &files[file];
	char path[PATH_BYTES + SERVICE_NAME_MAX + 16];

	if (f->fd >= 0)
		return true;
	if (now_ms_boot() < f->retry_at)
		return false;
	f->retry_at = now_ms_boot() + 1000;
	snprintf(path, sizeof path, "%s/%s.log", folder, name_of(set, file));
	f->fd = open_regular(path, &f->size);
	if (f->fd < 0) {
		make_directories(folder, 0755, NULL);
		f->fd = open_regular(path, &f->size);
	}
	return f->fd >= 0;
}

/* Where the older half cannot be kept (a folder is in its place), the bound holds nevertheless. */
static void rotate(const struct service_set *set, const char *folder, unsigned file)
{
	char path[PATH_BYTES + SERVICE_NAME_MAX + 16], old[sizeof path + 2];

	snprintf(path, sizeof path, "%s/%s.log", folder, name_of(set, file));
	snprintf(old, sizeof old, "%s.1", path);
	if (rename(path, old) < 0)
		(void)!ftruncate(files[file].fd, 0);
	close(files[file].fd);
	files[file].fd = -1;
	files[file].retry_at = 0;
}

static void put_line(const struct service_set *set, const char *folder, unsigned file, const char *line, size_t len)
{
	struct log_file *f = &files[file];
	ssize_t put;

	if (f->fd >= 0 && f->size >= LOG_FILE_BYTES)
		rotate(set, folder, file);
	if (!open_file(set, folder, file)) {
		f->lost++;
		return;
	}
	if (f->lost) {
		char note[96];
		int size = snprintf(note, sizeof note, "(%u lines could not be written here)\n", f->lost);

		if (write(f->fd, note, (size_t)size) != size) {
			f->lost++;
			return;
		}
		f->lost = 0;
	}
	put = write(f->fd, line, len);
	if (put > 0)
		f->size += put;
	if (put == (ssize_t)len)
		return;
	/* No half lines: what could not be written whole is taken back. */
	if (put > 0 && ftruncate(f->fd, f->size - put) == 0)
		f->size -= put;
	f->lost++;
	if (put < 0 && errno != ENOSPC && errno != EDQUOT) {
		close(f->fd);
		f->fd = -1;
	}
}

static void put_record(const struct service_set *set, const char *folder, const struct log_record *r, const char *text)
{
	static const char *const streams[] = {"out", "err", "init"};
	unsigned file = r->source < set->count ? r->source : SERVICES_MAX;
	size_t len = r->size - sizeof *r;
	char line[LOG_LINE_MAX + 160], time[40];
	int size;

	format_time(r->realtime_ms, time, sizeof time);
	if (r->dropped) {
		size = snprintf(line, sizeof line, "%s %s init (%u lines of services dropped before this)\n", time,
				name_of(set, file), r->dropped);
		put_line(set, folder, file, line, (size_t)size);
	}
	size = snprintf(line, sizeof line, "%s %s %s %.*s\n", time, name_of(set, file),
			streams[r->stream < 3 ? r->stream : 2], (int)len, text);
	put_line(set, folder, file, line, (size_t)size);
}

/* One record a packet: a writer that was killed leaves no half of one behind. Returns false once PID 1 has closed its
 * end. */
static bool read_records(const struct service_set *set, const char *folder, int fd)
{
	char packet[sizeof(struct log_record) + LOG_LINE_MAX];
	struct log_record record;
	ssize_t got;

	while ((got = recv(fd, packet, sizeof packet, MSG_DONTWAIT)) > 0) {
		memcpy(&record, packet, sizeof record);
		if (got >= (ssize_t)sizeof record && record.size == got)
			put_record(set, folder, &record, packet + sizeof record);
	}
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/* One record of /dev/kmsg: "priority,sequence,microseconds,flags;text\n KEY=value…". */
static void put_kernel(const struct service_set *set, const char *folder, char *text, ssize_t len)
{
	char line[LOG_LINE_MAX + 160], time[40];
	struct timespec now;
	unsigned long long us;
	char *message, *end, *comma;
	int size;

	text[len] = 0;
	message = strchr(text, ';');
	if (!message)
		return;
	end = strchr(message, '\n');
	if (end)
		*end = 0;
	comma = strchr(text, ',');
	comma = comma ? strchr(comma + 1, ',') : NULL;
	us = comma ? strtoull(comma + 1, NULL, 10) : 0; /* not sscanf(): it costs 12 KiB of program */
	clock_gettime(CLOCK_REALTIME, &now);
	format_time((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, time, sizeof time);
	size = snprintf(line, sizeof line, "%s kernel out [%5llu.%06llu] %.*s\n", time, us / 1000000, us % 1000000,
			(int)LOG_LINE_MAX, message + 1);
	put_line(set, folder, LOG_KERNEL, line, (size_t)size);
}

static int open_kernel(bool again)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && again)
		lseek(fd, 0, SEEK_END); /* what was there before is in the file already */
	return fd;
}

static bool read_kernel(const struct service_set *set, const char *folder, int fd)
{
	char text[8192];
	ssize_t got = read(fd, text, sizeof text - 1);

	if (got > 0)
		put_kernel(set, folder, text, got);
	return got > 0 || (got < 0 && (errno == EPIPE || errno == EINTR || errno == EAGAIN));
}

/* Of PID 1's descriptors only the socket stays; copies of the others would keep pipes and sockets alive. */
static void keep_only(int records, int kernel)
{
	records = fcntl(records, F_DUPFD, 10);
	kernel = kernel >= 0 ? fcntl(kernel, F_DUPFD, 10) : -1;
	if (records < 0 || dup2(records, RECORDS_FD) < 0 || (kernel >= 0 && dup2(kernel, KERNEL_FD) < 0))
		_exit(1);
	if (kernel < 0)
		close(KERNEL_FD);
	if (syscall(SYS_close_range, KERNEL_FD + 1, ~0u, 0) < 0)
		for (int fd = KERNEL_FD + 1; fd < OLD_KERNEL_FDS; fd++)
			close(fd);
}

/* Awake for every line, it must not take the processor from the service that is being started. */
static void give_way(void)
{
	struct sched_param none = {0};

	syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none); /* musl refuses to */
}

_Noreturn void log_writer_run(const struct service_set *set, const char *folder, int records, bool again)
{
	int kernel = open_kernel(again);
	struct pollfd fds[2] = {{RECORDS_FD, POLLIN, 0}, {kernel >= 0 ? KERNEL_FD : -1, POLLIN, 0}};

	give_way();
	keep_only(records, kernel);
	for (unsigned k = 0; k < LOG_FILES; k++)
		files[k].fd = -1;
	for (;;) {
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			_exit(1);
		if (fds[1].revents && !read_kernel(set, folder, KERNEL_FD))
			fds[1].fd = -1;
		if (fds[0].revents && !read_records(set, folder, RECORDS_FD))
			_exit(0);
	}
}
