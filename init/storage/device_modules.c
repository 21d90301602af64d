/* Drivers for the devices of the node.
 *
 * Loading is done in a child, so that disks are looked at meanwhile and a driver whose probing hangs holds up
 * nothing else. Aliases are names that devices give: they are passed on behind "--" and never through a shell.
 */
#include "storage/device_modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/process.h"
#include "lib/story.h"
#include "storage/drivers.h"

#define ALIAS_ROOM 4096 /* that of a processor lists its features */
#define ALIASES_AT_ONCE 400
#define MODPROBE_TIMEOUT_MS 60000

static const struct {
	const char *module, *reason;
} device_modules[] = {
	{"button", "the power button"},
	{"evdev", "the power button's events"},
	{"nls_ascii", "the ESP and vfat seeds"},
	{"nls_cp437", "the same"},
};

static void add_device(struct alias_set *set, int folder, const char *device)
{
	_cleanup_close_ int fd = -1;
	char path[NAME_MAX + 16], alias[ALIAS_ROOM];
	ssize_t n;

	snprintf(path, sizeof path, "%s/modalias", device);
	fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, alias, sizeof alias - 1);
	if (n <= 0)
		return;
	alias[n] = 0;
	alias[strcspn(alias, "\n")] = 0;
	add_alias(set, alias);
}

static void add_folder(struct alias_set *set, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add_device(set, dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
}

void add_bus_aliases(struct alias_set *set, const char *sys)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof path, "%s/bus", sys);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof path, "%s/bus/%s/devices", sys, entry->d_name);
		if (entry->d_name[0] != '.')
			add_folder(set, path);
	}
	if (dir)
		closedir(dir);
}

void add_processor_alias(struct alias_set *set, const char *sys)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/devices/system/cpu", sys);
	add_device(set, AT_FDCWD, path);
}

static void run_modprobe(struct alias_set *set)
{
	const char *alias = next_alias(set);

	while (alias) {
		const char *argv[ALIASES_AT_ONCE + 8] = {"modprobe", "-a", "-q", "-b", "--"};
		const struct process modprobe = {.argv = argv, .timeout_ms = MODPROBE_TIMEOUT_MS};
		struct err err;
		size_t n = 5;

		for (; alias && n < ALIASES_AT_ONCE + 5; alias = next_alias(set))
			argv[n++] = alias;
		/* Its exit status is 1 whenever one of them has no module. */
		if (process_run(&modprobe, &err) < 0)
			story("drivers: %s", err.text);
	}
}

static _Noreturn void load_in_child(struct alias_set *set)
{
	struct drivers drivers;
	const char *alias;
	struct err err;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (open_drivers(&drivers, &err) < 0) {
		story("drivers: %s: modprobe does it all", err.text);
		run_modprobe(set);
		_exit(0);
	}
	while ((alias = next_alias(set)))
		load_driver(&drivers, alias);
	run_modprobe(&drivers.left);
	_exit(0);
}

void start_loading(struct loading *loading, struct alias_set *set)
{
	pid_t child;

	if (loading->child || set->asked >= set->text.len)
		return;
	child = fork();
	if (!child)
		load_in_child(set);
	if (child < 0) {
		story("drivers: fork: %s", strerror(errno));
		return;
	}
	set->asked = set->text.len;
	loading->child = child;
	loading->ended = (int)syscall(SYS_pidfd_open, child, 0);
}

void end_loading(struct loading *loading)
{
	if (!loading->child || waitpid(loading->child, NULL, WNOHANG) == 0)
		return;
	closep(&loading->ended);
	*loading = (struct loading){0, -1};
}

void await_loading(struct loading *loading, int timeout_ms)
{
	struct pollfd ended = {loading->ended, POLLIN, 0};

	if (loading->child && poll(&ended, 1, timeout_ms) == 0)
		story("drivers: still loading after %d s, the boot goes on", timeout_ms / 1000);
	end_loading(loading);
}

unsigned count_modules(void)
{
	_cleanup_(buf_free) struct buf text = {0};
	unsigned lines = 0;

	if (file_read("/proc/modules", 1 << 20, &text, NULL) < 0)
		return 0;
	for (size_t i = 0; i < text.len; i++)
		lines += text.data[i] == '\n';
	return lines;
}

void add_device_modules(struct alias_set *set)
{
	for (size_t i = 0; i < sizeof device_modules / sizeof *device_modules; i++)
		add_alias(set, device_modules[i].module);
}
