/* write_files: planned as a whole, then written. */
#include "config/write_files.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define NO_MODE ((json_int_t)0644)
#define FILE_MAX ((size_t)16 << 20)

/* Open the directory that holds the file, one name at a time, never through a link; made where `make` says so.
 * Returns the descriptor with *name pointing at the last name, or -errno. */
static int open_parent(const char *root, const char *path, bool make, const char **name)
{
	_cleanup_close_ int at = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char part[NAME_MAX + 1];

	if (at < 0)
		return -errno;
	for (const char *p = path + 1;;) {
		size_t len = strcspn(p, "/");
		int next;

		if (!len || len > NAME_MAX)
			return len ? -ENAMETOOLONG : -EINVAL;
		if (!p[len]) {
			*name = p;
			return take_fd(&at);
		}
		memcpy(part, p, len);
		part[len] = 0;
		if (!strcmp(part, "..") || !strcmp(part, "."))
			return -EINVAL;
		if (make && mkdirat(at, part, 0755) < 0 && errno != EEXIST)
			return -errno;
		next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(at);
		at = next;
		p += len + 1;
	}
}

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text) && strlen(text) < 10;
}

/* The library's tables are /etc/passwd and /etc/group. */
static int find_owner(const char *owner, struct planned_file *file, struct err *err)
{
	char user[64];
	size_t len = strcspn(owner, ":");
	const char *group = owner[len] ? owner + len + 1 : NULL;
	const struct passwd *passwd;
	const struct group *entry;

	if (len >= sizeof user)
		return err_set(err, EINVAL, "expected USER:GROUP");
	memcpy(user, owner, len);
	user[len] = 0;
	passwd = is_number(user) ? NULL : getpwnam(user);
	if (!passwd && !is_number(user))
		return err_set(err, EINVAL, "expected a user of this system, found \"%s\"", user);
	file->uid = passwd ? passwd->pw_uid : (uid_t)strtoul(user, NULL, 10);
	file->gid = passwd ? passwd->pw_gid : 0;
	if (!group)
		return 0;
	entry = is_number(group) ? NULL : getgrnam(group);
	if (!entry && !is_number(group))
		return err_set(err, EINVAL, "expected a group of this system, found \"%s\"", group);
	file->gid = entry ? entry->gr_gid : (gid_t)strtoul(group, NULL, 10);
	return 0;
}

/* A directory, or a link on the way: known before the first file is written. */
static int check_place(const char *root, const char *path, struct err *err)
{
	const char *name;
	_cleanup_close_ int parent = open_parent(root, path, false, &name);
	struct stat st;

	if (parent == -ENOENT)
		return 0;
	if (parent == -ENOTDIR || parent == -ELOOP)
		return err_set(err, EINVAL, "expected directories on the way, found a file or a link");
	if (parent < 0)
		return err_set(err, -parent, "%s", strerror(-parent));
	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
		return err_set(err, EINVAL, "expected a file, found a directory there");
	return 0;
}

static bool lies_on_state(const char *path)
{
	return !strncmp(path, "/var/", 5) || !strncmp(path, "/opt/", 5);
}

static bool may_be_written(const char *path)
{
	static const char *const below[] = {"/etc/", "/run/", "/var/", "/opt/", "/tmp/"};

	for (size_t i = 0; i < sizeof below / sizeof below[0]; i++)
		if (!strncmp(path, below[i], strlen(below[i])))
			return strncmp(path, "/run/keelson/", 13) && strncmp(path, "/var/lib/keelson/", 17);
	return false;
}

static int plan_file(const char *root, const json_t *entry, struct planned_file *file, const char **key,
		     struct err *err)
{
	const json_t *mode = json_object_get(entry, "permissions");
	const char *owner = json_string_value(json_object_get(entry, "owner"));
	const char *base64 = json_string_value(json_object_get(entry, "data"));
	struct buf data = {.max = FILE_MAX};
	int r;

	*key = "path";
	file->path = json_string_value(json_object_get(entry, "path"));
	file->line = (long)json_integer_value(json_object_get(entry, "line"));
	file->column = (long)json_integer_value(json_object_get(entry, "column"));
	if (!file->path || !base64 || !may_be_written(file->path))
		return err_set(err, EINVAL, "expected a path that can be written");
	file->mode = (mode_t)(mode ? json_integer_value(mode) : NO_MODE) & 07777;
	file->append = json_is_true(json_object_get(entry, "append"));
	file->once = lies_on_state(file->path);
	r = check_place(root, file->path, err);
	if (r < 0)
		return r;
	*key = "owner";
	r = find_owner(owner ? owner : "0:0", file, err);
	if (r < 0)
		return r;
	*key = "content";
	if (base64_decode(base64, strlen(base64), &data) < 0) {
		buf_free(&data);
		return err_set(err, EINVAL, "expected base64");
	}
	file->data = data.data;
	file->len = data.len;
	return 0;
}

int plan_files(const char *root, const json_t *values, struct file_plan *plan, struct buf *problems)
{
	const json_t *files = json_object_get(values, "write_files");
	size_t count = json_array_size(files);
	int worst = 0;

	plan->files = calloc(count + 1, sizeof *plan->files);
	if (!plan->files)
		return -ENOMEM;
	/* deferred ones go last, each group in the order of the document */
	for (int deferred = 0; deferred <= 1; deferred++) {
		for (size_t i = 0; i < count; i++) {
			const json_t *entry = json_array_get(files, i);
			struct planned_file *file = &plan->files[plan->count];
			const char *key = "path";
			struct err err;

			if (json_is_true(json_object_get(entry, "defer")) != deferred)
				continue;
			plan->count++;
			if (plan_file(root, entry, file, &key, &err) == 0)
				continue;
			buf_addf(problems, "user-data:%ld:%ld: write_files[%zu].%s: %s\n", file->line, file->column, i,
				 key, err.text);
			worst = -EINVAL;
		}
	}
	return worst;
}

void file_plan_free(struct file_plan *plan)
{
	for (size_t i = 0; plan->files && i < plan->count; i++)
		free(plan->files[i].data);
	free(plan->files);
	*plan = (struct file_plan){0};
}

/* What is there already, for appending. */
static int copy_existing(int parent, const char *name, int to)
{
	_cleanup_close_ int from = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	_cleanup_(buf_free) struct buf there = {.max = FILE_MAX};
	int r;

	if (from < 0)
		return errno == ENOENT ? 0 : -errno;
	r = file_read_fd(from, FILE_MAX, &there, NULL);
	return r < 0 ? r : write_all(to, buf_string(&there), there.len);
}

static int fill_file(int parent, const char *name, int fd, const struct planned_file *file)
{
	int r = file->append ? copy_existing(parent, name, fd) : 0;

	if (!r)
		r = write_all(fd, file->data, file->len);
	/* the owner first: changing it takes set-id bits away */
	if (!r && (fchown(fd, file->uid, file->gid) < 0 || fchmod(fd, file->mode) < 0))
		r = -errno;
	if (!r && file->once && fsync(fd) < 0)
		r = -errno;
	return r;
}

/* On a disk the name is safe only once its directory is. */
static int sync_directory(int parent)
{
	_cleanup_close_ int fd = openat(parent, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

int write_below(const char *root, const struct planned_file *file, struct err *err)
{
	const char *name = "";
	_cleanup_close_ int parent = open_parent(root, file->path, true, &name), fd = -1;
	char beside[NAME_MAX + 1];
	int r;

	if (parent < 0)
		return err_set(err, -parent, "write %s: %s", file->path, strerror(-parent));
	if ((size_t)snprintf(beside, sizeof beside, ".%s.new", name) >= sizeof beside)
		return err_set(err, ENAMETOOLONG, "write %s", file->path);
	unlinkat(parent, beside, 0);
	fd = openat(parent, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, "write %s", file->path);
	r = fill_file(parent, name, fd, file);
	if (!r && renameat(parent, beside, parent, name) < 0)
		r = -errno;
	if (!r && file->once)
		r = sync_directory(parent);
	if (r < 0) {
		unlinkat(parent, beside, 0);
		return err_set(err, -r, "write %s: %s", file->path, strerror(-r));
	}
	return 0;
}

size_t write_planned_files(const char *root, const struct file_plan *plan, bool again, size_t *written,
			   struct buf *problems)
{
	size_t failed = 0;

	*written = 0;
	for (size_t i = 0; i < plan->count; i++) {
		struct err err;

		if (plan->files[i].once && again)
			continue;
		if (write_below(root, &plan->files[i], &err) < 0) {
			buf_addf(problems, "%s\n", err.text);
			failed++;
		} else {
			++*written;
		}
	}
	return failed;
}
