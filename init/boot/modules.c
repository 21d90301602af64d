/* The modules of the initramfs: those that this machine needs are loaded, and no others.
 *
 * The list names the drivers of every disk controller that a node may have. Loading all 37 of them took 2.9 s in an
 * emulated machine, most of it probing for what is not there; a driver is loaded when a device has its alias, a file
 * system when it is mounted. Half of what is left is the kernel checking signatures, so two processors share it.
 * mkimage has put dependencies first and unpacked the files, so each is one finit_module(2). A module that fails is
 * told and does not stop the boot: whether it was needed shows later.
 */
#include "boot/modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "boot/tell.h"
#include "lib/alias.h"
#include "lib/cleanup.h"

#define MODULE_LIST "/modules/list"
#define ALIASES_MAX 32768

static const struct bus {
	const char *name;
	bool fixed; /* what is on it is there from the start */
} buses[] = {
	{"pci", false}, {"virtio", false}, {"scsi", false}, {"usb", false},	{"vmbus", false},
	{"xen", false}, {"mmc", false},	   {"acpi", true},  {"platform", true},
};

char *next_module(char **at)
{
	char *line;

	while ((line = strsep(at, "\n"))) {
		line[strcspn(line, " \t\r#")] = 0;
		if (!strncmp(line, "/modules/", 9) && !strstr(line, ".."))
			return line;
	}
	return NULL;
}

const char *module_name(const char *path)
{
	const char *name = strrchr(path, '/') + 1, *digits = name + strspn(name, "0123456789");

	return digits > name && *digits == '-' ? digits + 1 : name;
}

static bool has_name(const struct module *module, const char *name, size_t len)
{
	return module_names_equal(module->name, name, len) && !strcmp(module->name + len, ".ko");
}

/* "pci:v…", and "acpi*:…" as ACPI's are written. */
static bool names_a_bus(const char *alias)
{
	size_t len = strcspn(alias, ":*");

	for (size_t i = 0; i < sizeof buses / sizeof *buses; i++)
		if (alias[len] && strlen(buses[i].name) == len && !memcmp(alias, buses[i].name, len))
			return true;
	return false;
}

static bool is_depended_on(const struct modules *modules, size_t index)
{
	const char *name = modules->all[index].name;
	char plain[64];

	snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "."), name);
	for (size_t i = 0; i < modules->count; i++)
		if (module_info_depends(&modules->all[i].info, plain))
			return true;
	return false;
}

static enum module_need need_of(const struct modules *modules, size_t index)
{
	const struct module *module = &modules->all[index];
	const char *alias = NULL;
	bool asked = false;

	while ((alias = module_info_next(&module->info, "alias=", alias))) {
		if (names_a_bus(alias))
			return NEED_DEVICE;
		if (!strcmp(alias, "crypto-sha256")) /* nobody asks: dm-verity takes the best that is there */
			return modules->slow_vectors ? NEED_ASKED : NEED_ALWAYS;
		if (!strcmp(alias, "fs-overlay")) /* stage 2 mounts /etc with it, and has no list */
			return NEED_ALWAYS;
		asked = asked || !strncmp(alias, "fs-", 3) || !strncmp(alias, "block-major-7-", 14) ||
			!strncmp(alias, "nls_", 4);
	}
	if (asked || !strncmp(module->name, "nls_", 4))
		return NEED_ASKED;
	return is_depended_on(modules, index) ? NEED_BY_OTHER : NEED_ALWAYS;
}

void sort_modules(struct modules *modules)
{
	for (size_t i = 0; i < modules->count; i++)
		modules->all[i].need = need_of(modules, i);
}

static void read_info(struct module *module)
{
	_cleanup_close_ int fd = open(module->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *file;

	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return;
	/* Stays mapped until exec: the text is used in place. */
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file != MAP_FAILED)
		module_info_find(file, (size_t)st.st_size, &module->info);
}

static int insert(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST ? -errno : 0;
}

void open_modules(struct modules *modules)
{
	_cleanup_close_ int fd = open(MODULE_LIST, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, modules->list, sizeof modules->list - 1);
	char *at = modules->list, *path;

	modules->count = modules->loaded = modules->failed = 0;
	modules->insert = insert;
	modules->slow_vectors = vectors_are_slow();
	modules->list[n > 0 ? n : 0] = 0;
	while ((path = next_module(&at)) && modules->count < MODULES_MAX) {
		struct module *module = &modules->all[modules->count++];

		*module = (struct module){.path = path, .name = module_name(path)};
		read_info(module);
	}
	if (path || n == sizeof modules->list - 1)
		tell("modules", "%s: expected at most %d modules, found more", MODULE_LIST, MODULES_MAX);
	sort_modules(modules);
}

static void insert_one(struct modules *modules, struct module *module)
{
	int r;

	if (module->done)
		return;
	module->done = true;
	r = modules->insert(module->path);
	modules->loaded += !r;
	if (r < 0 && r != -ENODEV && r != -EOPNOTSUPP) { /* those say: not on this machine */
		modules->failed++;
		tell("modules", "%s: %s", module->path, strerror(-r));
	}
}

/* Mark what INDEX depends on, and what that depends on. The list has dependencies first, so one walk back is enough. */
static void mark_needed(const struct modules *modules, size_t index, bool needed[MODULES_MAX])
{
	needed[index] = true;
	for (size_t i = index + 1; i-- > 0;) {
		const char *depends = needed[i] ? module_info_next(&modules->all[i].info, "depends=", NULL) : NULL;

		while (depends && *depends) {
			size_t len = strcspn(depends, ",");

			for (size_t j = 0; j < i; j++)
				if (has_name(&modules->all[j], depends, len))
					needed[j] = true;
			depends += len + (depends[len] == ',');
		}
	}
}

void load_module(struct modules *modules, size_t index)
{
	bool needed[MODULES_MAX] = {false};

	mark_needed(modules, index, needed);
	for (size_t i = 0; i <= index; i++)
		if (needed[i])
			insert_one(modules, &modules->all[i]);
}

static void mark_basic(const struct modules *modules, bool needed[MODULES_MAX])
{
	for (size_t i = 0; i < modules->count; i++)
		if (modules->all[i].need == NEED_ALWAYS)
			mark_needed(modules, i, needed);
}

void load_basic_modules(struct modules *modules)
{
	bool needed[MODULES_MAX] = {false};

	mark_basic(modules, needed);
	for (size_t i = 0; i < modules->count; i++)
		if (needed[i])
			insert_one(modules, &modules->all[i]);
}

pid_t start_basic_modules(struct modules *modules)
{
	pid_t child = fork();

	if (child <= 0)
		load_basic_modules(modules);
	if (!child)
		_exit(modules->failed < 255 ? (int)modules->failed : 255);
	return child > 0 ? child : 0;
}

void await_basic_modules(struct modules *modules, pid_t child)
{
	bool needed[MODULES_MAX] = {false};
	unsigned failed = 0;
	int status = 0;

	if (!child)
		return;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status)) /* it was ended: what it has not done is done here */
		return load_basic_modules(modules);
	failed = (unsigned)WEXITSTATUS(status);
	mark_basic(modules, needed);
	for (size_t i = 0; i < modules->count; i++) {
		modules->loaded += needed[i] && !modules->all[i].done;
		modules->all[i].done = modules->all[i].done || needed[i];
	}
	modules->failed += failed;
	modules->loaded -= failed < modules->loaded ? failed : modules->loaded;
}

void load_asked_module(struct modules *modules, const char *alias)
{
	for (size_t i = 0; i < modules->count; i++) {
		const char *own = NULL;

		while ((own = module_info_next(&modules->all[i].info, "alias=", own)))
			if (!strcmp(own, alias))
				load_module(modules, i);
	}
}

struct aliases {
	size_t len;
	char text[ALIASES_MAX]; /* NUL-separated */
};

static void take_alias(int bus, const char *device, struct aliases *aliases)
{
	size_t room = sizeof aliases->text - aliases->len;
	_cleanup_close_ int fd = -1;
	char path[300];
	ssize_t n;

	snprintf(path, sizeof path, "%s/modalias", device);
	fd = openat(bus, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 || room < 2 ? -1 : read(fd, aliases->text + aliases->len, room - 1);
	if (n <= 1)
		return;
	if (aliases->text[aliases->len + (size_t)n - 1] == '\n')
		n--;
	aliases->len += (size_t)n;
	aliases->text[aliases->len++] = 0;
}

static void take_bus(const char *name, struct aliases *aliases)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof path, "/sys/bus/%s/devices", name);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			take_alias(dirfd(dir), entry->d_name, aliases);
	if (dir)
		closedir(dir);
}

static bool matches_a_device(const struct module *module, const struct aliases *aliases)
{
	const char *pattern = NULL, *end = aliases->text + aliases->len;

	while ((pattern = module_info_next(&module->info, "alias=", pattern)))
		for (const char *alias = aliases->text; alias < end; alias += strlen(alias) + 1)
			if (alias[0] == pattern[0] && alias[1] == pattern[1] && alias_matches(pattern, alias))
				return true;
	return false;
}

bool load_matching_modules(struct modules *modules, bool first)
{
	static struct aliases aliases;
	bool any = false, more;

	do {
		more = false;
		aliases.len = 0;
		for (size_t i = 0; i < sizeof buses / sizeof *buses; i++)
			if (first || !buses[i].fixed)
				take_bus(buses[i].name, &aliases);
		for (size_t i = 0; i < modules->count; i++) {
			struct module *module = &modules->all[i];

			if (module->done || module->need != NEED_DEVICE || !matches_a_device(module, &aliases))
				continue;
			load_module(modules, i);
			more = any = true;
		}
		first = false;
	} while (more);
	return any;
}
