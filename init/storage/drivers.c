/* Load drivers by the aliases of devices, with depmod's tables and without a modprobe for each.
 *
 * Starting kmod's modprobe with its libraries from a cold disk takes as long as loading five modules; the tables are
 * made for look-up and need no process. What modprobe.d says of a module beyond a blacklist is left to modprobe.
 * Source: kmod's modprobe(8), modules.dep(5), modprobe.d(5).
 */
#include "storage/drivers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <dirent.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/story.h"

#define RULES_MAX (1 << 20)
#define ALIAS_ROOM 4096 /* that of a processor lists its features */

/* '-' and '_' are the same in names; depmod writes '_', but not within [ ]. */
static bool normalize(const char *from, char *to, size_t room)
{
	bool set = false;
	size_t len = strlen(from);

	if (len >= room)
		return false;
	for (size_t i = 0; i <= len; i++) {
		set = from[i] == '[' || (set && from[i] != ']');
		to[i] = from[i] == '-' && !set ? '_' : from[i];
	}
	return true;
}

void take_rule(struct drivers *drivers, const char *line)
{
	char word[16], name[128], plain[128];

	if (sscanf(line, "%15s %127s", word, name) != 2 || !normalize(name, plain, sizeof plain))
		return;
	if (!strcmp(word, "blacklist"))
		add_alias(&drivers->never, plain);
	else if (!strcmp(word, "options") || !strcmp(word, "install") || !strcmp(word, "softdep"))
		add_alias(&drivers->special, plain);
}

static void take_rules(struct drivers *drivers, const char *path)
{
	_cleanup_(buf_free) struct buf text = {0};
	char *at, *line;

	if (file_read(path, RULES_MAX, &text, NULL) < 0)
		return;
	at = text.data;
	while ((line = strsep(&at, "\n")))
		take_rule(drivers, line);
}

static void take_rule_folder(struct drivers *drivers, const char *folder)
{
	DIR *dir = opendir(folder);
	char path[PATH_MAX];
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);

		if (len < 5 || strcmp(entry->d_name + len - 5, ".conf"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		take_rules(drivers, path);
	}
	if (dir)
		closedir(dir);
}

static int map_index(const char *folder, const char *name, struct module_index *index, struct err *err)
{
	_cleanup_close_ int fd = -1;
	char path[PATH_MAX];
	struct stat st;
	void *data;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, "open %s", path);
	data = st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
	if (data == MAP_FAILED)
		return err_errno(err, "map %s", path);
	*index = (struct module_index){data, (size_t)st.st_size};
	return index_check(index) < 0 ? err_set(err, EBADMSG, "%s: expected a table of depmod", path) : 0;
}

static int insert(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST ? -errno : 0;
}

/* Asked before the file is read: the kernel would check a signature only to say that it is there. */
static bool is_loaded(const char *name)
{
	char path[160];

	snprintf(path, sizeof path, "/sys/module/%s/initstate", name);
	return !access(path, F_OK);
}

int open_drivers(struct drivers *drivers, struct err *err)
{
	char path[sizeof drivers->folder + 32];
	struct utsname kernel;
	int r;

	memset(drivers, 0, sizeof *drivers);
	drivers->insert = insert;
	drivers->is_loaded = is_loaded;
	uname(&kernel);
	snprintf(drivers->folder, sizeof drivers->folder, "/lib/modules/%.65s", kernel.release);
	r = map_index(drivers->folder, "modules.alias.bin", &drivers->aliases, err);
	if (!r)
		r = map_index(drivers->folder, "modules.dep.bin", &drivers->dependencies, err);
	if (r < 0)
		return r;
	take_rule_folder(drivers, "/usr/lib/modprobe.d");
	take_rule_folder(drivers, "/etc/modprobe.d");
	snprintf(path, sizeof path, "%s/modules.softdep", drivers->folder);
	take_rules(drivers, path);
	return 0;
}

/* "kernel/drivers/net/virtio_net.ko" gives "virtio_net". */
static bool name_of_path(const char *path, char name[128])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char part[128];
	size_t len = strcspn(base, ".");

	if (!len || len >= sizeof part)
		return false;
	memcpy(part, base, len);
	part[len] = 0;
	return normalize(part, name, 128);
}

static void insert_path(struct drivers *drivers, const char *path)
{
	char name[128], full[PATH_MAX];
	int r;

	if (!name_of_path(path, name) || !add_alias(&drivers->tried, name) || drivers->is_loaded(name))
		return;
	if ((size_t)snprintf(full, sizeof full, "%s/%s", drivers->folder, path) >= sizeof full)
		return;
	r = drivers->insert(full);
	/* ENODEV and its like: the alias fits, the device does not. ENOENT: a dependency said so. */
	if (r < 0 && r != -ENODEV && r != -ENXIO && r != -EOPNOTSUPP && r != -ENOENT && r != -EBUSY)
		story("driver %s: %s", name, strerror(-r));
}

/* "PATH: DEPENDENCY…": each comes before what needs it when they are taken from the end. */
static void load_with_dependencies(void *context, const char *value)
{
	struct drivers *drivers = context;
	char line[8192];
	size_t len = strlen(value);
	char *colon, *space;

	if (len >= sizeof line)
		return;
	memcpy(line, value, len + 1);
	colon = strchr(line, ':');
	if (!colon)
		return;
	*colon = 0;
	while ((space = strrchr(colon + 1, ' '))) {
		if (space[1])
			insert_path(drivers, space + 1);
		*space = 0;
	}
	insert_path(drivers, line);
}

static void load_named(void *context, const char *name)
{
	struct drivers *drivers = context;

	if (has_alias(&drivers->never, name))
		return;
	if (has_alias(&drivers->special, name))
		add_alias(&drivers->left, name);
	else if (!has_alias(&drivers->tried, name))
		index_find(&drivers->dependencies, name, load_with_dependencies, drivers);
}

void load_driver(struct drivers *drivers, const char *alias)
{
	char plain[ALIAS_ROOM];

	if (!normalize(alias, plain, sizeof plain))
		return;
	index_match(&drivers->aliases, plain, load_named, drivers);
	if (!strchr(plain, ':')) /* the name of a module itself */
		load_named(drivers, plain);
}
