/* act WORD…: a service that does what its arguments say, one after the other. For tests of the supervisor. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void tell_init(const char *message)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (!path)
		return;
	strncpy(to.sun_path, path, sizeof to.sun_path - 1);
	(void)!sendto(fd, message, strlen(message), 0, (struct sockaddr *)&to, sizeof to);
	close(fd);
}

static void say_ready(const char *value)
{
	(void)value;
	tell_init("READY=1");
}

static void say_status(const char *value)
{
	char message[200];

	snprintf(message, sizeof message, "STATUS=%s", value);
	tell_init(message);
}

/* To the notify socket: a TCP connection full of data that nobody reads, whose last close waits so many seconds. */
static void send_lingering(const char *value)
{
	struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct linger linger = {1, atoi(value)};
	int listening = socket(AF_INET, SOCK_STREAM, 0), full = socket(AF_INET, SOCK_STREAM, 0);
	int notify = socket(AF_UNIX, SOCK_DGRAM, 0), small = 4096;
	socklen_t size = sizeof here;
	char text[65536] = "", room[CMSG_SPACE(sizeof full)] = "";
	struct iovec data = {text, 1};
	struct msghdr message = {.msg_name = &to,
				 .msg_namelen = sizeof to,
				 .msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = room,
				 .msg_controllen = sizeof room};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);

	strncpy(to.sun_path, getenv("NOTIFY_SOCKET"), sizeof to.sun_path - 1);
	setsockopt(listening, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	if (bind(listening, (struct sockaddr *)&here, sizeof here) < 0 || listen(listening, 1) < 0 ||
	    getsockname(listening, (struct sockaddr *)&here, &size) < 0 ||
	    connect(full, (struct sockaddr *)&here, sizeof here) < 0)
		_exit(3);
	while (send(full, text, sizeof text, MSG_DONTWAIT) > 0)
		;
	setsockopt(full, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
	*head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof full), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(head), &full, sizeof full);
	if (sendmsg(notify, &message, 0) < 0)
		_exit(4);
	close(full);
}

static void do_sleep(const char *value)
{
	struct timespec t;
	double seconds = value ? atof(value) : 1e6;

	t.tv_sec = (time_t)seconds;
	t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	nanosleep(&t, NULL);
}

static void do_exit(const char *value)
{
	_exit(atoi(value));
}

static void ignore_term(const char *value)
{
	(void)value;
	signal(SIGTERM, SIG_IGN);
}

/* Children that stay, in a session of their own. */
static void do_fork(const char *value)
{
	for (int k = atoi(value); k > 0; k--)
		if (fork() == 0) {
			setsid();
			for (;;)
				pause();
		}
}

/* Grandchildren whose parent is gone, ending at once. */
static void orphans(const char *value)
{
	for (int k = atoi(value); k > 0; k--)
		if (fork() == 0) {
			if (fork() == 0)
				_exit(0);
			_exit(0);
		}
}

static void do_print(const char *value)
{
	printf("%s\n", value);
	fflush(stdout);
}

static void print_error(const char *value)
{
	fprintf(stderr, "%s\n", value);
}

/* Lines of 100 bytes. */
static void spam(const char *value)
{
	char line[101];

	memset(line, 'x', 99);
	line[99] = '\n';
	for (int k = atoi(value); k > 0; k--)
		(void)!write(1, line, 100);
}

static void signals(const char *value)
{
	char text[4096];
	FILE *file = fopen("/proc/self/status", "r");

	(void)value;
	while (file && fgets(text, sizeof text, file))
		if (!strncmp(text, "Sig", 3) || !strncmp(text, "Cap", 3) || !strncmp(text, "NoNew", 5) ||
		    !strncmp(text, "Uid", 3) || !strncmp(text, "Gid", 3) || !strncmp(text, "Groups", 6))
			fputs(text, stdout);
	if (file)
		fclose(file);
	fflush(stdout);
}

static void environment(const char *value)
{
	(void)value;
	for (char **e = environ; *e; e++)
		puts(*e);
	fflush(stdout);
}

static void descriptors(const char *value)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	(void)value;
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(dir))
			printf("fd %s\n", entry->d_name);
	fflush(stdout);
}

/* The time, appended to a file: how long after the kill did it run again? */
static void mark(const char *value)
{
	struct timespec t;
	char text[64];
	int fd, len;

	clock_gettime(CLOCK_MONOTONIC, &t);
	fd = open(value, O_WRONLY | O_CREAT | O_APPEND, 0644);
	len = snprintf(text, sizeof text, "%lld\n", (long long)t.tv_sec * 1000000000 + t.tv_nsec);
	(void)!write(fd, text, (size_t)len);
	close(fd);
}

static void do_write(const char *value)
{
	char text[256];
	char *equals;

	snprintf(text, sizeof text, "%s", value);
	equals = strchr(text, ':');
	*equals = 0;
	(void)!write(atoi(text), equals + 1, strlen(equals + 1));
	(void)!write(atoi(text), "\n", 1);
}

static void exists(const char *value)
{
	_exit(access(value, F_OK) == 0 ? 0 : 1);
}

static void wait_for_file(const char *value)
{
	while (access(value, F_OK) < 0)
		do_sleep("0.01");
}

static void stop_self(const char *value)
{
	(void)value;
	raise(SIGSTOP);
}

static const struct {
	const char *word;
	void (*act)(const char *value);
} words[] = {
	{"ready", say_ready},	      {"doing", say_status},
	{"sleep", do_sleep},	      {"exit", do_exit},
	{"ignore-term", ignore_term}, {"fork", do_fork},
	{"orphans", orphans},	      {"print", do_print},
	{"error", print_error},	      {"spam", spam},
	{"status", signals},	      {"env", environment},
	{"fds", descriptors},	      {"mark", mark},
	{"write", do_write},	      {"exists", exists},
	{"stop", stop_self},	      {"linger", send_lingering},
	{"await", wait_for_file},
};

int main(int argc, char **argv)
{
	for (int k = 1; k < argc; k++) {
		char *value = strchr(argv[k], '=');
		size_t len = value ? (size_t)(value - argv[k]) : strlen(argv[k]);

		for (unsigned w = 0; w < sizeof words / sizeof words[0]; w++)
			if (strlen(words[w].word) == len && !strncmp(words[w].word, argv[k], len))
				words[w].act(value ? value + 1 : NULL);
	}
	return 0;
}
