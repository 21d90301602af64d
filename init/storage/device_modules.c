/* Drivers for the devices of the node.
 *
 * One modprobe for many aliases: in an emulated machine an exec costs 30 to 50 ms, the look-up of an alias next to
 * nothing. Aliases are names that devices give, so they are passed behind "--" and never through a shell.
 */
#include "storage/device_modules.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/process.h"
#include "lib/story.h"

#define ALIAS_MAX 1000
#define ALIASES_AT_ONCE 400
#define MODPROBE_TIMEOUT_MS 60000

static const struct {
	const char *module, *reason;
} node_modules[] = {
	{"overlay", "container root file systems"},
	{"br_netfilter", "packets of bridged pods pass iptables"},
	{"nf_conntrack", "kube-proxy sets its limits before the first rule loads it"},
	{"button", "the power button"},
	{"evdev", "the power button's events"},
	{"nls_ascii", "the ESP and vfat seeds"},
	{"nls_cp437", "the same"},
};

static const struct {
	const char *path, *value;
} module_sysctls[] = {
	{"/proc/sys/net/bridge/bridge-nf-call-iptables", "1"},
	{"/proc/sys/net/bridge/bridge-nf-call-ip6tables", "1"},
};

bool add_alias(struct alias_set *set, const char *alias)
{
	size_t len = strlen(alias);

	if (!len || len > ALIAS_MAX || alias[0] == '-' || strchr(alias, '/') || strchr(alias, '\n'))
		return false;
	for (const char *at = set->text.data; at && at < set->text.data + set->text.len; at += strlen(at) + 1)
		if (!strcmp(at, alias))
			return false;
	return !buf_add(&set->text, alias, len + 1);
}

static void add_device(struct alias_set *set, int bus, const char *device)
{
	_cleanup_close_ int fd = -1;
	char path[NAME_MAX + 16], alias[ALIAS_MAX + 2];
	ssize_t n;

	snprintf(path, sizeof path, "%s/modalias", device);
	fd = openat(bus, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, alias, sizeof alias - 1);
	if (n <= 0)
		return;
	alias[n] = 0;
	alias[strcspn(alias, "\n")] = 0;
	add_alias(set, alias);
}

static void add_bus(struct alias_set *set, const char *sys, const char *bus)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof path, "%s/bus/%s/devices", sys, bus);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add_device(set, dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
}

void add_bus_aliases(struct alias_set *set, const char *sys, bool cpus)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof path, "%s/bus", sys);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && !strcmp(entry->d_name, "cpu") == cpus)
			add_bus(set, sys, entry->d_name);
	if (dir)
		closedir(dir);
}

void load_new_aliases(struct alias_set *set)
{
	while (set->asked < set->text.len) {
		const char *argv[ALIASES_AT_ONCE + 8] = {"modprobe", "-a", "-q", "-b", "--"};
		const struct process modprobe = {.argv = argv, .timeout_ms = MODPROBE_TIMEOUT_MS};
		struct err err;
		size_t n = 5;
		int r;

		while (n < ALIASES_AT_ONCE + 5 && set->asked < set->text.len) {
			argv[n] = set->text.data + set->asked;
			set->asked += strlen(argv[n++]) + 1;
		}
		/* Its exit status is 1 whenever one of them has no module. */
		r = process_run(&modprobe, &err);
		if (r < 0)
			story("drivers: %s", err.text);
	}
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

void add_node_modules(struct alias_set *set)
{
	for (size_t i = 0; i < sizeof node_modules / sizeof *node_modules; i++)
		add_alias(set, node_modules[i].module);
}

void set_module_sysctls(void)
{
	for (size_t i = 0; i < sizeof module_sysctls / sizeof *module_sysctls; i++)
		file_poke(module_sysctls[i].path, module_sysctls[i].value, NULL);
}
