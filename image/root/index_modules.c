/* modules.dep and its like, by depmod; what postinst of a kernel package does. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/process.h"
#include "root/make_root.h"

#define MODULES "/usr/lib/modules/"
#define DEPMOD_TIMEOUT_MS 600000

int find_kernel_version(const struct tree *tree, char version[128], struct err *err)
{
	size_t len = sizeof MODULES - 1;

	version[0] = 0;
	for (size_t i = tree_lower_bound(tree, MODULES); i < tree->count; i++) {
		const char *path = tree->nodes[i]->path;
		size_t name = strcspn(path + len, "/");

		if (strncmp(path, MODULES, len))
			break;
		if (version[0] && (strlen(version) != name || strncmp(version, path + len, name)))
			return err_set(err, EEXIST, "expected one kernel, found %s and %.*s", version, (int)name,
				       path + len);
		snprintf(version, 128, "%.*s", (int)name, path + len);
	}
	return version[0] ? 0 : err_set(err, ENOENT, "expected a kernel's modules below " MODULES ", found none");
}

static int take_indexes(struct tree *tree, const char *stage, const char *kernel, struct err *err)
{
	char folder[PATH_MAX], from[PATH_MAX], to[PATH_MAX];
	struct dirent **entries;
	int count, r = 0;

	snprintf(folder, sizeof folder, "%s" MODULES "%s", stage, kernel);
	count = scandir(folder, &entries, NULL, alphasort);
	if (count < 0)
		return err_errno(err, "read %s", folder);
	for (int i = 0; i < count; i++) {
		snprintf(from, sizeof from, "%s/%s", folder, entries[i]->d_name);
		snprintf(to, sizeof to, MODULES "%s/%s", kernel, entries[i]->d_name);
		if (!r && !strncmp(entries[i]->d_name, "modules.", 8) && !tree_find(tree, to))
			r = tree_add_file(tree, to, 0644, from, err);
		free(entries[i]);
	}
	free(entries);
	return r;
}

int index_modules(struct tree *tree, const char *stage, const char *kernel, struct err *err)
{
	const char *const argv[] = {"depmod", "-b", stage, kernel, NULL};
	struct process process = {.argv = argv, .timeout_ms = DEPMOD_TIMEOUT_MS};
	int r = process_run_ok(&process, err);

	if (!r)
		r = take_indexes(tree, stage, kernel, err);
	return r < 0 ? err_wrap(err, r, "index the modules") : 0;
}
