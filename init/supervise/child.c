/* The child between fork and exec. It has a copy of PID 1's memory and may block; PID 1 does not wait for it. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/environment.h"
#include "supervise/node.h"

#define ENVIRONMENT_FILE_MAX (64 << 10)
#define DEFAULT_PATH "/usr/sbin:/usr/bin:/sbin:/bin"

static struct program program; /* the child's own copy; PID 1 never touches it */

struct account {
	uid_t uid;
	gid_t gid;
	char home[256];
};

static _Noreturn void fail(int report, enum child_stage stage, int errnum)
{
	struct child_report message = {stage, errnum};

	if (report >= 0)
		(void)!write(report, &message, sizeof message);
	_exit(127);
}

/* Conditions are looked at here: a path may lie on a disk that does not answer. */
static bool conditions_met(const struct service *s)
{
	for (unsigned k = 0; k < s->conditions.count; k++) {
		const char *path = service_word(s, s->conditions, k);
		bool inverted = *path == '!';

		if ((access(path + inverted, F_OK) == 0) == inverted)
			return false;
	}
	return true;
}

void child_output(struct node *n, unsigned slot)
{
	dup2(n->null, 0);
	dup2(n->slots[slot].streams[LOG_OUT].write, 1);
	dup2(n->slots[slot].streams[LOG_ERR].write, 2);
}

/* Standard input is empty, output goes to the pipes; every other descriptor but those two closes at exec. */
static int redirect(struct node *n, unsigned i, int *report, int *ready)
{
	const struct service *s = &n->set.services[i];
	bool before = n->machine.phase == PHASE_BEFORE && *report < 0;
	int high = fcntl(*report, F_DUPFD_CLOEXEC, 300);
	int high_ready = *ready >= 0 ? fcntl(*ready, F_DUPFD_CLOEXEC, 300) : -1;

	if (*report >= 0 && high < 0)
		return -errno;
	*report = high;
	child_output(n, before ? SLOT_MACHINE : i);
	/* ENOSYS: an older kernel; everything PID 1 opens has O_CLOEXEC anyway. */
	syscall(SYS_close_range, 3, ~0u, 4 /* CLOSE_RANGE_CLOEXEC */);
	if (high_ready >= 0 && dup2(high_ready, s->ready_fd) < 0)
		return -errno;
	return 0;
}

static int limit(int resource, uint64_t value)
{
	struct rlimit limit = {value == UINT64_MAX ? RLIM_INFINITY : value,
			       value == UINT64_MAX ? RLIM_INFINITY : value};

	if (!value)
		return 0;
	return setrlimit(resource, &limit) < 0 ? -errno : 0;
}

static int set_limits(const struct service *s)
{
	struct rlimit files = {1024, 524288};
	int r = s->limit_nofile ? limit(RLIMIT_NOFILE, s->limit_nofile) : 0;

	if (!s->limit_nofile)
		setrlimit(RLIMIT_NOFILE, &files); /* as systemd has it: select(2) stays safe */
	if (!r)
		r = limit(RLIMIT_NPROC, s->limit_nproc);
	if (!r)
		r = limit(RLIMIT_CORE, s->limit_core);
	if (!r)
		r = limit(RLIMIT_MEMLOCK, s->limit_memlock);
	return r;
}

int oom_score(void)
{
	char text[16] = "";
	int fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);

	if (fd >= 0)
		close(fd);
	return got > 0 ? (int)strtol(text, NULL, 10) : INT_MIN;
}

static int write_score(const struct node *n, int score)
{
	char text[8];
	int fd, len, r = 0;

	if (score == n->oom_score)
		return 0;
	len = snprintf(text, sizeof text, "%d", score);
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, (size_t)len) < 0)
		r = -errno;
	if (fd >= 0)
		close(fd);
	return r;
}

static int read_bounded(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	while (used < size && (got = read(fd, text + used, size - used)) > 0)
		used += (size_t)got;
	close(fd);
	return used == size ? -EFBIG : (int)used;
}

/* Not by snprintf: its stack is two more pages that every start would have to fault in. */
static int set_pair(const char *name, const char *value)
{
	size_t before = strlen(name), after = strlen(value);
	char text[512];

	if (before + 1 + after >= sizeof text)
		return -E2BIG;
	memcpy(text, name, before);
	text[before] = '=';
	memcpy(text + before + 1, value, after);
	return program_set(&program, text, before + 1 + after);
}

static int set_notify_socket(const struct node *n, const struct service *s)
{
	char path[PATH_BYTES + SERVICE_NAME_MAX + 16];

	if (s->type != SERVICE_NOTIFY)
		return 0;
	snprintf(path, sizeof path, "%s/notify/%s", n->run, s->name);
	return set_pair("NOTIFY_SOCKET", path);
}

/* Order as in systemd: what is ours, Environment=, EnvironmentFile=; later ones win. */
static int build_environment(struct node *n, unsigned i, const char *home)
{
	static char text[ENVIRONMENT_FILE_MAX];
	const struct service *s = &n->set.services[i];
	int r = set_pair("PATH", DEFAULT_PATH);

	if (!r)
		r = set_pair("HOME", home);
	if (!r)
		r = set_pair("LANG", "C.UTF-8");
	if (!r)
		r = set_notify_socket(n, s);
	for (unsigned k = 0; !r && k < s->environment.count; k++) {
		const char *word = service_word(s, s->environment, k);

		r = program_set(&program, word, strlen(word));
	}
	for (unsigned k = 0; r >= 0 && k < s->environment_files.count; k++) {
		const char *word = service_word(s, s->environment_files, k);
		bool optional = *word == '-';

		r = read_bounded(word + optional, text, sizeof text);
		if (r >= 0)
			r = program_read(&program, text, (size_t)r);
		else if (optional && r == -ENOENT)
			r = 0;
	}
	return r < 0 ? r : 0;
}

/* A line of /etc/passwd: name:x:uid:gid:gecos:home:shell. */
static bool parse_account(char *line, const char *name, struct account *account)
{
	char *fields[7];
	char *rest = line;

	for (unsigned k = 0; k < 7; k++)
		fields[k] = strsep(&rest, ":");
	if (!fields[5] || strcmp(fields[0], name))
		return false;
	account->uid = (uid_t)strtoul(fields[2], NULL, 10);
	account->gid = (gid_t)strtoul(fields[3], NULL, 10);
	snprintf(account->home, sizeof account->home, "%s", fields[5]);
	return true;
}

/* getpwnam would do more than read one file. */
static int find_account(const char *name, struct account *account)
{
	static char text[ENVIRONMENT_FILE_MAX];
	char *rest = text, *line, *end;
	unsigned long number = strtoul(name, &end, 10);
	int got;

	if (!*end) {
		*account = (struct account){.uid = (uid_t)number, .gid = (gid_t)number, .home = "/"};
		return 0;
	}
	got = read_bounded("/etc/passwd", text, sizeof text - 1);
	if (got < 0)
		return got;
	text[got] = 0;
	while ((line = strsep(&rest, "\n")))
		if (parse_account(line, name, account))
			return 0;
	return -ESRCH;
}

/* Raw calls: the library's would look for other threads, which this copy has not. */
static int become(const struct account *account)
{
	if (syscall(SYS_setgroups, 0, NULL) < 0 ||
	    syscall(SYS_setresgid, account->gid, account->gid, account->gid) < 0 ||
	    syscall(SYS_setresuid, account->uid, account->uid, account->uid) < 0)
		return -errno;
	return 0;
}

static int bound_capabilities(const struct service *s)
{
	struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2];

	if (s->bound_capabilities) {
		for (int cap = 0; cap < 64; cap++)
			if (!(s->capabilities >> cap & 1) && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 &&
			    errno != EINVAL)
				return -errno;
		if (syscall(SYS_capget, &header, data) < 0)
			return -errno;
		data[0].inheritable &= (uint32_t)s->capabilities;
		data[1].inheritable &= (uint32_t)(s->capabilities >> 32);
		if (syscall(SYS_capset, &header, data) < 0)
			return -errno;
	}
	if (s->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return 0;
}

static int set_loopback_up(void)
{
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int r = fd < 0 || syscall(SYS_ioctl, fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

/* What it has of its own: network, queues, and for its own view of the mounts a mount namespace. */
static int enter_namespaces(const struct service *s)
{
	bool mounts = s->read_only_paths.count || s->private_tmp;
	int own = (mounts ? CLONE_NEWNS : 0) | (s->private_network ? CLONE_NEWNET : 0) |
		  (s->private_ipc ? CLONE_NEWIPC : 0);

	if (own && unshare(own) < 0)
		return -errno;
	if (mounts && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
		return -errno;
	if (s->private_tmp && mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777") < 0)
		return -errno;
	return s->private_network ? set_loopback_up() : 0;
}

/* These mounts are read-only for it. */
static int protect_paths(const struct service *s)
{
	for (unsigned k = 0; k < s->read_only_paths.count; k++) {
		const char *word = service_word(s, s->read_only_paths, k);
		const char *path = word + (*word == '-');

		if (*word == '-' && access(path, F_OK) < 0)
			continue;
		if (mount(path, path, NULL, MS_BIND, NULL) < 0 ||
		    mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID, NULL) < 0)
			return -errno;
	}
	return 0;
}

/* As execvpe, with the PATH that the program will have. */
static int search_and_execute(char *const *argv, char *const *env)
{
	const char *path = program_get(&program, "PATH", 4);
	char whole[4096];
	int error = ENOENT;

	while (path && *path) {
		size_t len = strcspn(path, ":");

		snprintf(whole, sizeof whole, "%.*s/%s", (int)len, path, argv[0]);
		execve(whole, argv, env);
		if (errno != ENOENT && errno != ENOTDIR)
			error = errno;
		path += len + (path[len] == ':');
	}
	return -error;
}

static int execute(void)
{
	char *const *argv = (char *const *)(uintptr_t)program.arguments;
	char *const *env = (char *const *)(uintptr_t)program.environment;

	if (!strchr(argv[0], '/'))
		return search_and_execute(argv, env);
	execve(argv[0], argv, env);
	return -errno;
}

static int build_arguments(const struct service *s, struct words command)
{
	int r = 0;

	for (unsigned k = 0; !r && k < command.count; k++)
		r = program_argument(&program, service_word(s, command, k), k > 0);
	return r;
}

static const char *directory_of(const struct service *s)
{
	return s->working_directory.count ? service_word(s, s->working_directory, 0) : "/";
}

/* A probe is a small root process without the service's own rules. */
_Noreturn void child_run(struct node *n, unsigned i, struct words command, bool probe, int report, int ready)
{
	const struct service *s = &n->set.services[i];
	struct account account = {.home = "/root"};
	bool user = s->user.count && !probe;
	int r;

	child_reset();
	umask(022);
	if (!probe && !conditions_met(s))
		fail(report, STAGE_CONDITION, 0);
	r = user ? find_account(service_word(s, s->user, 0), &account) : 0;
	if (r < 0)
		fail(report, STAGE_USER, -r);
	r = redirect(n, i, &report, &ready);
	if (r < 0)
		fail(report, STAGE_OUTPUT, -r);
	r = build_environment(n, i, account.home);
	if (!r)
		r = build_arguments(s, command);
	if (r < 0)
		fail(report, STAGE_ENVIRONMENT, -r);
	r = write_score(n, probe ? 0 : s->oom_score_adjust);
	if (r < 0)
		fail(report, STAGE_OOM, -r);
	r = probe ? 0 : set_limits(s);
	if (r < 0)
		fail(report, STAGE_LIMITS, -r);
	r = probe ? 0 : enter_namespaces(s);
	if (r < 0)
		fail(report, STAGE_NAMESPACES, -r);
	r = probe ? 0 : protect_paths(s);
	if (r < 0)
		fail(report, STAGE_MOUNTS, -r);
	if (chdir(probe ? "/" : directory_of(s)) < 0)
		fail(report, STAGE_DIRECTORY, errno);
	r = probe ? 0 : bound_capabilities(s);
	if (r < 0)
		fail(report, STAGE_CAPABILITIES, -r);
	r = user ? become(&account) : 0;
	if (r < 0)
		fail(report, STAGE_USER, -r);
	fail(report, STAGE_EXEC, -execute());
}
