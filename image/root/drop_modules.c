/* Kernel modules that can never be loaded, since one that they need is excluded: they go too.
 *
 * A module says what it needs in its .modinfo section, as "depends=a,b" between NULs. Names there have "_" where file
 * names may have "-".
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "root/make_root.h"

#define NAME_MAX_BYTES 64
#define BUILTIN_MAX ((size_t)1 << 20)

struct module {
	char name[NAME_MAX_BYTES];
	char *path;    /* in the tree; NULL: built into the kernel */
	char *depends; /* "a,b" */
	bool gone;
};

struct modules {
	struct module *items;
	size_t count;
};

static void modules_free(struct modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->items[i].path);
		free(modules->items[i].depends);
	}
	free(modules->items);
}

int module_depends(const void *data, size_t len, char **depends)
{
	static const char mark[] = "\0depends=";
	const char *found = memmem(data, len, mark, sizeof mark - 1), *text = found ? found + sizeof mark - 1 : "";
	size_t most = found ? len - (size_t)(text - (const char *)data) : 1;
	const char *end = memchr(text, 0, most);

	if (!end)
		return -EBADMSG;
	*depends = strdup(text);
	return *depends ? 0 : -ENOMEM;
}

/* "kernel/net/8021q/8021q.ko" to "8021q"; false for what is no module. */
static bool module_name(const char *path, char name[NAME_MAX_BYTES])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strstr(base, ".ko");
	size_t len = dot ? (size_t)(dot - base) : 0;

	if (!len || len >= NAME_MAX_BYTES)
		return false;
	snprintf(name, NAME_MAX_BYTES, "%.*s", (int)len, base);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	return true;
}

static int add_module(struct modules *modules, const char *name, const char *path, char *depends)
{
	struct module *items = reallocarray(modules->items, modules->count + 1, sizeof *items);
	struct module *new;

	if (!items) {
		free(depends);
		return -ENOMEM;
	}
	modules->items = items;
	new = &items[modules->count++];
	memset(new, 0, sizeof *new);
	snprintf(new->name, sizeof new->name, "%s", name);
	new->depends = depends;
	new->path = path ? strdup(path) : NULL;
	return path && !new->path ? -ENOMEM : 0;
}

static int read_module(struct modules *modules, const struct node *node, const char *name, struct err *err)
{
	_cleanup_close_ int fd = node->source ? open(node->source, O_RDONLY | O_CLOEXEC) : -1;
	void *data = fd < 0 || !node->size ? MAP_FAILED : mmap(NULL, node->size, PROT_READ, MAP_PRIVATE, fd, 0);
	char *depends = NULL;
	int r;

	if (data == MAP_FAILED)
		return err_errno(err, "read %s", node->path);
	r = module_depends(data, node->size, &depends);
	munmap(data, node->size);
	if (!r)
		r = add_module(modules, name, node->path, depends);
	return r < 0 ? err_set(err, -r, "%s: %s", node->path, strerror(-r)) : 0;
}

static int read_builtin(struct modules *modules, const struct tree *tree, const char *folder, struct err *err)
{
	char path[PATH_MAX], name[NAME_MAX_BYTES];
	_cleanup_free_ char *text = NULL;
	const struct node *node;
	char *save = NULL;
	int r;

	snprintf(path, sizeof path, "%s/modules.builtin", folder);
	node = tree_find(tree, path);
	if (!node)
		return err_set(err, ENOENT, "expected %s, found none", path);
	r = node_content(node, BUILTIN_MAX, &text, err);
	if (r < 0)
		return r;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (module_name(line, name) && add_module(modules, name, NULL, NULL) < 0)
			return err_set(err, ENOMEM, "no memory");
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct module *)a)->name, ((const struct module *)b)->name);
}

static bool is_there(const struct modules *modules, const char *name)
{
	struct module key = {.path = NULL};
	const struct module *found;

	snprintf(key.name, sizeof key.name, "%s", name);
	for (char *p = key.name; *p; p++)
		*p = *p == '-' ? '_' : *p;
	found = bsearch(&key, modules->items, modules->count, sizeof key, compare);
	return found && !found->gone;
}

/* Is everything that a module needs there? */
static bool loadable(const struct modules *modules, const struct module *module)
{
	_cleanup_free_ char *names = module->depends ? strdup(module->depends) : NULL;
	char *save = NULL;

	for (char *name = names ? strtok_r(names, ",", &save) : NULL; name; name = strtok_r(NULL, ",", &save))
		if (!is_there(modules, name))
			return false;
	return true;
}

static int gather(struct modules *modules, const struct tree *tree, const char *kernel, struct err *err)
{
	char folder[PATH_MAX];
	size_t len = (size_t)snprintf(folder, sizeof folder, "/usr/lib/modules/%s", kernel);
	int r = read_builtin(modules, tree, folder, err);

	for (size_t i = tree_lower_bound(tree, folder); i < tree->count && !r; i++) {
		const struct node *node = tree->nodes[i];
		char name[NAME_MAX_BYTES];

		if (strncmp(node->path, folder, len))
			break;
		if (node->type == NODE_FILE && strstr(node->path, ".ko") && module_name(node->path, name))
			r = read_module(modules, node, name, err);
	}
	if (modules->count)
		qsort(modules->items, modules->count, sizeof *modules->items, compare);
	return r;
}

int drop_modules(struct tree *tree, const char *kernel, size_t *left, size_t *dropped, struct err *err)
{
	_cleanup_(modules_free) struct modules modules = {0};
	bool again = true;
	int r = gather(&modules, tree, kernel, err);

	*dropped = *left = 0;
	/* One that goes can be what another needs. */
	while (again && !r) {
		again = false;
		for (size_t i = 0; i < modules.count; i++) {
			struct module *m = &modules.items[i];

			if (!m->path || m->gone || loadable(&modules, m))
				continue;
			m->gone = again = true;
			tree_remove(tree, m->path);
			(*dropped)++;
		}
	}
	for (size_t i = 0; i < modules.count; i++)
		*left += modules.items[i].path && !modules.items[i].gone;
	return r < 0 ? err_wrap(err, r, "kernel modules") : 0;
}
