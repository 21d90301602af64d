/* Paths of the tree: the merged /usr, and what is left out. Pure.
 *
 * Debian's packages ship files below /bin, /lib, /lib64 and /sbin, which are links into /usr (dpkg follows them;
 * usrmerge makes them). The builder moves the files, and the links are made once by add_skeleton.
 */
#include "root/tree.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char *const merged_directories[] = {"/bin", "/lib", "/lib64", "/sbin"};

/* Whether PATH is DIRECTORY or lies below it. */
static bool lies_in(const char *path, const char *directory)
{
	while (*directory && *path == *directory) {
		path++;
		directory++;
	}
	return !*directory && (*path == '/' || !*path);
}

int merge_path(const char *path, char merged[PATH_MAX])
{
	const char *prefix = "";

	for (size_t i = 0; i < sizeof merged_directories / sizeof *merged_directories; i++)
		if (lies_in(path, merged_directories[i]))
			prefix = "/usr";
	return snprintf(merged, PATH_MAX, "%s%s", prefix, path) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* Append the parts of TARGET to the directory in RESULT, "." and ".." resolved by their names. */
static int walk(char result[PATH_MAX], const char *target)
{
	while (*target) {
		size_t len = strcspn(target, "/"), end = strlen(result);

		if (len == 2 && !strncmp(target, "..", 2)) {
			char *slash = strrchr(result, '/');

			if (slash)
				*slash = 0;
		} else if (len && !(len == 1 && *target == '.')) {
			if (end + len + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			result[end] = '/';
			memcpy(result + end + 1, target, len);
			result[end + 1 + len] = 0;
		}
		target += len + (target[len] == '/');
	}
	return 0;
}

static int absolute_target(const char *path, const char *target, char result[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	result[0] = 0;
	if (target[0] != '/' && slash) {
		size_t len = (size_t)(slash - path);

		if (len >= PATH_MAX)
			return -ENAMETOOLONG;
		memcpy(result, path, len);
		result[len] = 0;
	}
	return walk(result, target);
}

int merge_target(const char *path, const char *merged, const char *target, char result[PATH_MAX])
{
	char before[PATH_MAX], wanted[PATH_MAX], after[PATH_MAX];

	if (target[0] != '/' && strcmp(path, merged)) {
		int r = absolute_target(path, target, before);

		if (!r)
			r = merge_path(before, wanted);
		if (!r)
			r = absolute_target(merged, target, after);
		if (r)
			return r;
		if (strcmp(after, wanted))
			target = *wanted ? wanted : "/";
	}
	return snprintf(result, PATH_MAX, "%s", target) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

bool path_dropped(const struct strings *patterns, const char *path)
{
	for (size_t i = 0; patterns && i < patterns->count; i++) {
		const char *pattern = patterns->items[i];

		if (lies_in(path, pattern))
			return true;
		if (strpbrk(pattern, "*?[") && fnmatch(pattern, path, 0) == 0)
			return true;
	}
	return false;
}
