/* The lock file: read, written, compared. */
#include "packages/lock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "progress.h"

#define LOCK_FILE_MAX ((size_t)1 << 20)

static int parse_line(const char *file, unsigned number, char *line, struct package_set *set, struct err *err)
{
	struct package package = {0};
	char *save = NULL, *sha256;

	line[strcspn(line, "#")] = 0;
	package.name = strtok_r(line, " \t", &save);
	if (!package.name)
		return 0;
	package.version = strtok_r(NULL, " \t", &save);
	sha256 = strtok_r(NULL, " \t", &save);
	if (!sha256 || strlen(sha256) != 64 || strspn(sha256, "0123456789abcdef") != 64 || strtok_r(NULL, " \t", &save))
		return err_set(err, EINVAL, "%s:%u:1: expected NAME VERSION SHA256, found \"%.80s\"", file, number,
			       package.name);
	if (package_find(set, package.name))
		return err_set(err, EINVAL, "%s:%u:1: %.80s: expected once, found a second time", file, number,
			       package.name);
	memcpy(package.sha256, sha256, DIGEST_TEXT);
	return package_set_add(set, &package) < 0 ? err_set(err, ENOMEM, "no memory") : 0;
}

int lock_parse(const char *file, const char *text, struct package_set *set, struct err *err)
{
	_cleanup_free_ char *lines = strdup(text);
	unsigned number = 1;
	int r = 0;

	if (!lines)
		return err_set(err, ENOMEM, "no memory");
	for (char *line = lines, *next; line && !r; line = next, number++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		r = parse_line(file, number, line, set, err);
	}
	package_set_sort(set);
	return r;
}

int lock_render(const struct package_set *set, struct buf *text)
{
	int r = buf_add_string(text, "# NAME VERSION SHA256 of every package in the image; make lock writes it.\n");

	for (size_t i = 0; i < set->count && !r; i++)
		r = buf_addf(text, "%s %s %s\n", set->items[i].name, set->items[i].version, set->items[i].sha256);
	return r;
}

/* One package under both names. Returns the lines said, 0 or 1, or a negative errno. */
static int say_difference(const struct package *old, const struct package *new, struct buf *text)
{
	int r;

	if (strcmp(old->version, new->version))
		r = buf_addf(text, "moved: %s %s -> %s\n", old->name, old->version, new->version);
	else if (strcmp(old->sha256, new->sha256))
		r = buf_addf(text, "rebuilt: %s %s has other content\n", new->name, new->version);
	else
		return 0;
	return r < 0 ? r : 1;
}

static int say_one(const char *what, const struct package *package, struct buf *text)
{
	int r = buf_addf(text, "%s: %s %s\n", what, package->name, package->version);

	return r < 0 ? r : 1;
}

int lock_diff(const struct package_set *locked, const struct package_set *now, struct buf *text)
{
	size_t i = 0, j = 0;
	int lines = 0;

	while (i < locked->count || j < now->count) {
		int order = i == locked->count ? 1
			    : j == now->count  ? -1
					       : strcmp(locked->items[i].name, now->items[j].name);
		int r;

		if (order < 0)
			r = say_one("gone", &locked->items[i++], text);
		else if (order > 0)
			r = say_one("new", &now->items[j++], text);
		else
			r = say_difference(&locked->items[i++], &now->items[j++], text);
		if (r < 0)
			return -ENOMEM;
		lines += r;
	}
	return lines;
}

static void print_lines(const struct buf *text)
{
	const char *line = buf_string(text);

	while (*line) {
		size_t len = strcspn(line, "\n");

		progress("lock", "%.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

int lock_check(const char *path, const struct package_set *now, bool locked, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0}, lines = {0};
	_cleanup_(package_set_free) struct package_set old = {0};
	int r;

	if (access(path, F_OK) < 0) {
		if (locked)
			return err_set(err, ENOENT, "lock: expected %s, found none: make lock writes it", path);
		progress("lock", "no %s yet", path);
		return 0;
	}
	r = file_read(path, LOCK_FILE_MAX, &text, err);
	if (!r)
		r = lock_parse(path, buf_string(&text), &old, err);
	if (r < 0)
		return err_wrap(err, r, "lock");
	r = lock_diff(&old, now, &lines);
	if (r < 0)
		return err_set(err, -r, "lock: no memory");
	print_lines(&lines);
	if (r > 0 && locked)
		return err_set(err, EPERM,
			       "lock: expected the packages of %s, found %d that differ: make lock accepts them", path,
			       r);
	return r;
}

int lock_write(const char *path, const struct package_set *now, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};

	if (lock_render(now, &text) < 0)
		return err_set(err, ENOMEM, "lock: no memory");
	return file_write_atomic(path, buf_string(&text), text.len, 0644, err);
}
