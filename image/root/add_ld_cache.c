/* /etc/ld.so.cache from the libraries of the tree, as ldconfig would have made it.
 *
 * Debian's ld.so looks into /lib/x86_64-linux-gnu and /usr/lib/x86_64-linux-gnu also without a cache; with one, it
 * opens each library at once. ldconfig itself would have to chroot into the tree, which needs root.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "root/ld_cache.h"
#include "root/parts.h"

static const char *const library_directories[] = {"/usr/lib/x86_64-linux-gnu/", "/usr/lib/"};

struct entries {
	struct ld_entry *items;
	size_t count;
};

static void entries_free(struct entries *entries)
{
	for (size_t i = 0; i < entries->count; i++) {
		free(entries->items[i].soname);
		free(entries->items[i].path);
	}
	free(entries->items);
}

static int file_soname(const struct node *node, char soname[SONAME_MAX], struct err *err)
{
	_cleanup_close_ int fd = -1;
	void *data;
	int r;

	if (!node->source || !node->size)
		return -ENOENT;
	fd = open(node->source, O_RDONLY | O_CLOEXEC);
	data = fd < 0 ? MAP_FAILED : mmap(NULL, node->size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return err_errno(err, "read %s", node->source);
	r = elf_soname(data, node->size, soname);
	munmap(data, node->size);
	return r == -EBADMSG ? err_set(err, EBADMSG, "%s: a damaged ELF file", node->path) : r;
}

static int add_entry(struct entries *entries, const char *soname, const char *path)
{
	struct ld_entry *items = reallocarray(entries->items, entries->count + 1, sizeof *items);
	struct ld_entry *new;

	if (!items)
		return -ENOMEM;
	entries->items = items;
	new = &items[entries->count++];
	new->soname = strdup(soname);
	new->path = strdup(path);
	return new->soname &&new->path ? 0 : -ENOMEM;
}

/* A library is found by its SONAME alone, so a name that is not the SONAME of what it leads to needs no entry. */
static int look_at(const struct tree *tree, const struct node *node, const char *name, struct entries *entries,
		   struct err *err)
{
	const struct node *file = node->type == NODE_DIRECTORY ? NULL : tree_resolve(tree, node->path);
	char soname[SONAME_MAX];
	int r;

	if (!file || file->type != NODE_FILE || !strstr(name, ".so"))
		return 0;
	r = file_soname(file, soname, err);
	if (r == -ENOENT || (!r && strcmp(soname, name)))
		return 0;
	if (!r && add_entry(entries, soname, node->path) < 0)
		r = err_set(err, ENOMEM, "no memory");
	return r;
}

int add_ld_cache(struct tree *tree, struct err *err)
{
	_cleanup_(entries_free) struct entries entries = {0};
	_cleanup_(buf_free) struct buf cache = {0};

	for (size_t d = 0; d < sizeof library_directories / sizeof *library_directories; d++) {
		const char *directory = library_directories[d];
		size_t len = strlen(directory);

		for (size_t i = tree_lower_bound(tree, directory); i < tree->count; i++) {
			const struct node *node = tree->nodes[i];
			int r;

			if (strncmp(node->path, directory, len))
				break;
			if (strchr(node->path + len, '/'))
				continue;
			r = look_at(tree, node, node->path + len, &entries, err);
			if (r < 0)
				return err_wrap(err, r, "ld.so.cache");
		}
	}
	if (!entries.count)
		return err_set(err, ENOENT, "ld.so.cache: expected shared libraries, found none");
	if (render_ld_cache(entries.items, entries.count, &cache) < 0)
		return err_set(err, ENOMEM, "ld.so.cache: no memory");
	return tree_add_bytes(tree, "/etc/ld.so.cache", 0644, cache.data, cache.len, err);
}
