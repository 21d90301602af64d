/* passwd, group, shadow and gshadow: what base-passwd and adduser make. Nobody can log in: there is no password, root's
 * is locked, and no shell is anybody's. */
#include <errno.h>
#include <string.h>

#include "root/parts.h"

struct system_user {
	const char *name;
	uint32_t id; /* uid and gid */
	const char *home;
};

/* Debian's fixed numbers (base-passwd), as far as files on a node or in pods are likely to belong to them. */
static const struct system_user system_users[] = {
	{"root", 0, "/root"},
	{"daemon", 1, "/usr/sbin"},
	{"bin", 2, "/bin"},
	{"sys", 3, "/dev"},
	{"www-data", 33, "/var/www"},
	{"backup", 34, "/var/backups"},
	{"nobody", 65534, "/nonexistent"},
};

struct system_group {
	const char *name;
	uint32_t id;
};

static const struct system_group system_groups[] = {
	{"adm", 4},	{"tty", 5},	{"disk", 6},	{"lp", 7},	 {"kmem", 15}, {"dialout", 20}, {"cdrom", 24},
	{"floppy", 25}, {"tape", 26},	{"audio", 29},	{"shadow", 42},	 {"utmp", 43}, {"video", 44},	{"plugdev", 46},
	{"staff", 50},	{"users", 100}, {"input", 101}, {"render", 102}, {"kvm", 103},
};

static int add_group(struct user_files *f, const char *name, uint32_t id)
{
	int r = buf_addf(&f->group, "%s:x:%u:\n", name, id);

	return r < 0 ? r : buf_addf(&f->gshadow, "%s:*::\n", name);
}

static int add_user(struct user_files *f, const char *name, uint32_t id, const char *home)
{
	const char *group = strcmp(name, "nobody") ? name : "nogroup";
	int r = buf_addf(&f->passwd, "%s:x:%u:%u:%s:%s:/usr/bin/false\n", name, id, id, name, home);

	if (!r)
		r = buf_addf(&f->shadow, "%s:!*:1::::::\n", name);
	return r < 0 ? r : add_group(f, group, id);
}

static int check_free(const struct image_user *user, const char *name, uint32_t id, struct err *err)
{
	if (strcmp(user->name, name) && user->id != id)
		return 0;
	return err_set(err, EINVAL, "users: %s: expected a name and id of its own, found the system's %s, %u",
		       user->name, name, id);
}

static int check_user(const struct image_user *user, struct err *err)
{
	int r = check_free(user, "nogroup", 65534, err);

	for (size_t i = 0; i < sizeof system_users / sizeof *system_users && !r; i++)
		r = check_free(user, system_users[i].name, system_users[i].id, err);
	for (size_t i = 0; i < sizeof system_groups / sizeof *system_groups && !r; i++)
		r = check_free(user, system_groups[i].name, system_groups[i].id, err);
	return r;
}

int render_users(const struct image_user *users, size_t count, struct user_files *files)
{
	int r = 0;

	for (size_t i = 0; i < sizeof system_users / sizeof *system_users && !r; i++)
		r = add_user(files, system_users[i].name, system_users[i].id, system_users[i].home);
	for (size_t i = 0; i < sizeof system_groups / sizeof *system_groups && !r; i++)
		r = add_group(files, system_groups[i].name, system_groups[i].id);
	for (size_t i = 0; i < count && !r; i++)
		r = add_user(files, users[i].name, users[i].id, users[i].home);
	return r;
}

void user_files_free(struct user_files *files)
{
	buf_free(&files->passwd);
	buf_free(&files->group);
	buf_free(&files->shadow);
	buf_free(&files->gshadow);
}

int add_users(struct tree *tree, const struct description *description, struct err *err)
{
	struct user_files files = {0};
	int r = 0;

	for (size_t i = 0; i < description->user_count && !r; i++)
		r = check_user(&description->users[i], err);
	if (r < 0)
		return r;
	r = render_users(description->users, description->user_count, &files);
	if (r < 0)
		r = err_set(err, -r, "users: %s", strerror(-r));
	if (!r)
		r = tree_add_text(tree, "/etc/passwd", 0644, buf_string(&files.passwd), err);
	if (!r)
		r = tree_add_text(tree, "/etc/group", 0644, buf_string(&files.group), err);
	if (!r)
		r = tree_add_text(tree, "/etc/shadow", 0600, buf_string(&files.shadow), err);
	if (!r)
		r = tree_add_text(tree, "/etc/gshadow", 0600, buf_string(&files.gshadow), err);
	user_files_free(&files);
	return r;
}
