/* Lines of the boot story on every console, from PID 1 itself.
 *
 * A dead serial line must never stop PID 1, so consoles are opened O_NONBLOCK and a line that does not fit at once gets
 * 20 ms and is then dropped. The kernel's log gets every line too, at a level that no console shows.
 */
#include "boot/tell.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define CONSOLES_MAX 4
#define DROP_AFTER_MS 20
#define CONSOLE_FLAGS (O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)

static int consoles[CONSOLES_MAX] = {-1, -1, -1, -1};
static int kernel_log = -1;

int64_t boot_ms(void)
{
	struct timespec now = {0};

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void open_console(const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "/dev/%s", name);
	for (size_t i = 0; i < CONSOLES_MAX; i++)
		if (consoles[i] < 0) {
			consoles[i] = open(path, CONSOLE_FLAGS);
			return;
		}
}

void tell_open(void)
{
	_cleanup_close_ int active = open("/sys/class/tty/console/active", O_RDONLY | O_CLOEXEC);
	char names[256] = "", *at = names;
	ssize_t n = active >= 0 ? read(active, names, sizeof names - 1) : -1;

	for (size_t i = 0; i < CONSOLES_MAX; i++) {
		closep(&consoles[i]);
		consoles[i] = -1;
	}
	if (n <= 0)
		strcpy(names, "console");
	for (char *name = strsep(&at, " \n"); name; name = strsep(&at, " \n"))
		if (*name && !strchr(name, '/'))
			open_console(name);
	closep(&kernel_log);
	kernel_log = open("/dev/kmsg", CONSOLE_FLAGS);
}

static void write_or_drop(int fd, const char *text, size_t len)
{
	for (int tries = 0; len && tries < 4; tries++) {
		struct pollfd ready = {fd, POLLOUT, 0};
		ssize_t n = write(fd, text, len);

		if (n >= 0) {
			text += n;
			len -= (size_t)n;
		} else if (errno != EINTR && (errno != EAGAIN || poll(&ready, 1, DROP_AFTER_MS) <= 0)) {
			return;
		}
	}
}

void tell_raw(const char *text, size_t len)
{
	for (size_t i = 0; i < CONSOLES_MAX; i++)
		if (consoles[i] >= 0)
			write_or_drop(consoles[i], text, len);
}

size_t tell_format(char *line, size_t room, int64_t hundredths, const char *who, const char *text)
{
	/* The fraction by integers: printing a double costs 10 KiB of program. */
	int n = snprintf(line, room - 1, "[%2lld.%02d] %-11s %s", (long long)(hundredths / 100),
			 (int)(hundredths % 100), who, text);
	size_t len = n < 0 ? 0 : (size_t)n;

	if (len > room - 2)
		len = room - 2;
	line[len++] = '\n';
	line[len] = 0;
	return len;
}

void tell(const char *who, const char *format, ...)
{
	char text[1024], line[1100];
	va_list args;
	size_t len;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	len = tell_format(line, sizeof line, boot_ms() / 10, who, text);
	tell_raw(line, len);
	if (kernel_log >= 0) {
		snprintf(line, sizeof line, "<7>keelson: %s: %s", who, text);
		(void)!write(kernel_log, line, strlen(line));
	}
}
