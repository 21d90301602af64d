/* boot_ready FILE…: when is a booted machine ready? The same program asks Keelson's node and its peer, for `make
 * bench-boot`.
 *
 * It looks every 50 ms until there is a default route, until every FILE is there (what a user-data leaves behind), and
 * until containerd's CRI names its runtime. Each of the three is a record in the kernel's log when it is first seen, so
 * its time is of the same clock as the kernel's own "Run /init as init process". The last act is one line on the
 * console with those times, and with what must be the same on both machines: kernel and containerd.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/cri.h"
#include "cluster/protobuf.h"

#define LOOK_MS 50
#define GIVE_UP_SECONDS 280
#define CRI_TIMEOUT_MS 5000
#define CONTAINERD "/usr/bin/containerd"
#define MARK "boot_ready: "

/* Flags of /proc/net/route, linux/route.h. */
#define ROUTE_UP 0x1UL
#define ROUTE_GATEWAY 0x2UL

struct runtime {
	char name[32], version[64];
};

/* Lines of /proc/net/route: interface, destination, gateway, flags, three numbers, mask. */
static bool has_default_route(void)
{
	FILE *routes = fopen("/proc/net/route", "re");
	char line[256];
	bool found = false;

	while (routes && !found && fgets(line, sizeof line, routes)) {
		unsigned long to, flags, mask;

		if (sscanf(line, "%*s %lx %*x %lx %*d %*d %*d %lx", &to, &flags, &mask) == 3)
			found = !to && !mask && (flags & ROUTE_UP) && (flags & ROUTE_GATEWAY);
	}
	if (routes)
		fclose(routes);
	return found;
}

static bool have_files(char *const *files)
{
	for (; *files; files++)
		if (access(*files, F_OK) < 0)
			return false;
	return true;
}

/* VersionResponse: the second field is the runtime's name, the third its version. */
static bool cri_answers(struct runtime *runtime)
{
	const struct cri_request request = {"RuntimeService/Version", "", 0};
	struct grpc_call call = {0};
	struct protobuf_field field;
	struct protobuf message;
	struct err err = {""};
	const void *data;
	size_t len;

	if (access(CONTAINERD_SOCKET, F_OK) == 0 &&
	    cri_ask_one(CONTAINERD_SOCKET, &request, &call, CRI_TIMEOUT_MS, &err) == 0) {
		data = grpc_message(&call, &len);
		message = protobuf_of(data, len);
		while (protobuf_next(&message, &field) == 1) {
			if (field.number == 2 && field.delimited)
				protobuf_copy(&field, runtime->name, sizeof runtime->name);
			if (field.number == 3 && field.delimited)
				protobuf_copy(&field, runtime->version, sizeof runtime->version);
		}
	}
	buf_free(&call.data);
	return *runtime->name;
}

static void __attribute__((format(printf, 2, 3))) write_line(const char *path, const char *format, ...)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	char line[1024];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (fd < 0 || write(fd, line, (size_t)len) != len) {
		perror(path);
		exit(1);
	}
	close(fd);
}

/* Seconds of the first record of the kernel's log that holds this text; negative when there is none. */
static double log_time(const char *text)
{
	int log = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	double at = -1;
	char record[8192];
	ssize_t n;

	while (log >= 0 && at < 0 && ((n = read(log, record, sizeof record - 1)) > 0 || (n < 0 && errno == EPIPE))) {
		unsigned long long microseconds;

		record[n > 0 ? n : 0] = 0;
		if (strstr(record, text) && sscanf(record, "%*u,%*u,%llu", &microseconds) == 1)
			at = (double)microseconds / 1e6;
	}
	if (log >= 0)
		close(log);
	return at;
}

static double seconds_up(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool look(bool *seen, const char *what, bool there)
{
	if (there && !*seen)
		write_line("/dev/kmsg", "<7>" MARK "%s\n", what);
	*seen |= there;
	return *seen;
}

/* Returns 0 when all three were seen. */
static int await_all(char *const *files, struct runtime *runtime)
{
	const struct timespec pause = {.tv_nsec = LOOK_MS * 1000000L};
	bool route = false, user_data = false, cri = false;

	for (;;) {
		look(&route, "route", route || has_default_route());
		look(&user_data, "user-data", user_data || have_files(files));
		look(&cri, "CRI", cri || cri_answers(runtime));
		if (route && user_data && cri)
			return 0;
		if (seconds_up() > GIVE_UP_SECONDS)
			break;
		nanosleep(&pause, NULL);
	}
	write_line("/dev/console",
		   "\n" MARK "expected a ready machine within %d s, found: default route %s, user-data %s, CRI %s\n",
		   GIVE_UP_SECONDS, route ? "yes" : "no", user_data ? "yes" : "no", cri ? "yes" : "no");
	return -ETIMEDOUT;
}

int main(int argc, char **argv)
{
	struct runtime runtime = {"", ""};
	struct utsname kernel;
	struct stat containerd;

	if (argc < 2) {
		fputs("usage: boot_ready FILE…\n", stderr);
		return 2;
	}
	if (await_all(argv + 1, &runtime) < 0)
		return 1;
	if (uname(&kernel) < 0 || stat(CONTAINERD, &containerd) < 0) {
		perror(CONTAINERD);
		return 1;
	}
	write_line("/dev/console",
		   "\n" MARK
		   "init %.3f systemd %.3f route %.3f user-data %.3f CRI %.3f kernel %s %s; %s %s, %lld bytes\n",
		   log_time(";Run /init as init process"), log_time(";" MARK "systemd is next"),
		   log_time(";" MARK "route"), log_time(";" MARK "user-data"), log_time(";" MARK "CRI"), kernel.release,
		   kernel.version, runtime.name, runtime.version, (long long)containerd.st_size);
	return 0;
}
