/* Which kernel modules the initramfs holds, and in which order they are loaded.
 *
 * A name is resolved through modules.dep, whose lines are "FILE: FILE FILE …": what a module needs, direct and
 * indirect. depmod writes the nearest dependency first, so that the list is loaded from its end.
 * Source: modules.dep(5).
 */
#include "boot/select_modules.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define NAME_BYTES 64
#define TABLE_MAX ((size_t)8 << 20)

/* "kernel/fs/nls/nls_ascii.ko.xz" and "nls-ascii" name the same module. */
static bool names_module(const char *path, size_t path_len, const char *name)
{
	const char *slash = memrchr(path, '/', path_len), *base = slash ? slash + 1 : path, *end = path + path_len;
	size_t len = strlen(name);

	if ((size_t)(end - base) < len + 3 || memcmp(base + len, ".ko", 3))
		return false;
	for (size_t i = 0; i < len; i++) {
		char a = base[i] == '-' ? '_' : base[i], b = name[i] == '-' ? '_' : name[i];

		if (a != b)
			return false;
	}
	return base + len + 3 == end || base[len + 3] == '.';
}

/* The line of TABLE whose file, up to a colon or the end of the line, is the module; NULL when there is none. */
static const char *find_line(const char *table, const char *name)
{
	for (const char *line = table; *line; line += strcspn(line, "\n"), line += *line == '\n')
		if (names_module(line, strcspn(line, ":\n"), name))
			return line;
	return NULL;
}

static bool listed(const struct module_list *list, const char *path, size_t len)
{
	for (size_t i = 0; i < list->count; i++)
		if (strlen(list->paths[i]) == len && !memcmp(list->paths[i], path, len))
			return true;
	return false;
}

static int add_path(struct module_list *list, const char *path, size_t len)
{
	char **paths;
	char *copy;

	if (listed(list, path, len))
		return 0;
	copy = strndup(path, len);
	if (!copy)
		return -ENOMEM;
	paths = realloc(list->paths, (list->count + 1) * sizeof *paths);
	if (!paths) {
		free(copy);
		return -ENOMEM;
	}
	list->paths = paths;
	paths[list->count++] = copy;
	return 0;
}

/* Take a line of modules.dep from its end to its beginning: the furthest dependency first, the module itself last. */
static int add_line(struct module_list *list, const char *line)
{
	const char *end = line + strcspn(line, "\n"), *start = end;
	int r = 0;

	for (; !r && end > line; end = start) {
		while (start > line && start[-1] != ' ' && start[-1] != ':')
			start--;
		if (start < end)
			r = add_path(list, start, (size_t)(end - start));
		else
			start--; /* what divides them */
	}
	return r;
}

/* A name from the list of names. Returns 0 and sets LEN and OPTIONAL, or -EINVAL when the line cannot be read. */
static int read_name(const char *line, size_t line_len, char name[NAME_BYTES], bool *optional, struct err *err)
{
	char text[2 * NAME_BYTES], word[NAME_BYTES], more[NAME_BYTES];
	int words;

	if (memchr(line, '#', line_len))
		line_len = (size_t)((const char *)memchr(line, '#', line_len) - line);
	name[0] = 0;
	if (line_len >= sizeof text)
		return err_set(err, EINVAL, "expected a module's name, found a line of %zu bytes", line_len);
	snprintf(text, sizeof text, "%.*s", (int)line_len, line);
	words = sscanf(text, "%63s %63s %63s", name, word, more);
	if (words <= 0)
		name[0] = 0;
	*optional = words == 2 && !strcmp(word, "optional");
	if (words > 2 || (words == 2 && !*optional))
		return err_set(err, EINVAL, "%s: expected nothing or \"optional\" behind the name, found \"%s\"", name,
			       words > 2 ? more : word);
	return 0;
}

static int select_one(const char *name, bool optional, const char *dep, const char *builtin, struct module_list *list,
		      struct buf *missing)
{
	const char *line = find_line(dep, name);

	if (line)
		return add_line(list, line);
	if (optional || find_line(builtin, name))
		return 0;
	return buf_addf(missing, "%s%s", missing->len ? ", " : "", name);
}

int select_modules(const char *names, const char *dep, const char *builtin, struct module_list *list, struct err *err)
{
	_cleanup_(buf_free) struct buf missing = {0};
	unsigned number = 1;
	int r = 0;

	*list = (struct module_list){0};
	for (const char *line = names; !r && *line; number++) {
		size_t len = strcspn(line, "\n");
		char name[NAME_BYTES];
		bool optional;

		r = read_name(line, len, name, &optional, err);
		if (r < 0)
			err_wrap(err, r, "line %u", number);
		else if (name[0])
			r = select_one(name, optional, dep, builtin, list, &missing);
		if (r == -ENOMEM || r == -EFBIG)
			err_set(err, -r, "%s: %s", name, strerror(-r));
		line += len + (line[len] == '\n');
	}
	if (!r && missing.len)
		r = err_set(err, ENOENT, "expected a file or built in, found neither: %s", buf_string(&missing));
	if (r < 0)
		module_list_free(list);
	return r;
}

int select_modules_in(const char *names_path, const char *directory, struct module_list *list, struct err *err)
{
	_cleanup_(buf_free) struct buf names = {0}, dep = {0}, builtin = {0};
	char path[PATH_MAX];
	int r;

	*list = (struct module_list){0};
	r = file_read(names_path, TABLE_MAX, &names, err);
	if (r < 0)
		return r;
	snprintf(path, sizeof path, "%s/modules.dep", directory);
	r = file_read(path, TABLE_MAX, &dep, err);
	if (r < 0)
		return r;
	snprintf(path, sizeof path, "%s/modules.builtin", directory);
	r = file_read(path, TABLE_MAX, &builtin, err);
	if (r < 0)
		return r;
	r = select_modules(buf_string(&names), buf_string(&dep), buf_string(&builtin), list, err);
	return r < 0 ? err_wrap(err, r, "%s for %s", names_path, directory) : 0;
}

void module_list_free(struct module_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct module_list){0};
}
