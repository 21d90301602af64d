/* Programs that the root cannot run: those with a shared library that is not there, and scripts without interpreter. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "root/ld_cache.h"
#include "root/parts.h"

#define LIBRARIES "/usr/lib/x86_64-linux-gnu/"
#define INTERPRETER_MAX 128

/* The first bytes of a file; returns how many. */
static size_t head_of(const struct node *node, char *head, size_t most, struct err *err, int *r)
{
	_cleanup_close_ int fd = -1;
	ssize_t n;

	*r = 0;
	if (!node->source) {
		size_t len = node->size < most ? node->size : most;

		memcpy(head, node->bytes, len);
		return len;
	}
	fd = open(node->source, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : pread(fd, head, most, 0);
	if (n < 0)
		*r = err_errno(err, "read %s", node->source);
	return n < 0 ? 0 : (size_t)n;
}

static bool is_program(const struct node *node)
{
	return node->type == NODE_FILE && node->mode & 0111;
}

/* Returns 1 for a script whose interpreter is not in the tree, 0 for anything else. */
static int cannot_run(const struct tree *tree, const struct node *node, struct err *err)
{
	char head[INTERPRETER_MAX + 1];
	size_t len;
	char *name;
	int r;

	if (!is_program(node))
		return 0;
	len = head_of(node, head, INTERPRETER_MAX, err, &r);
	if (r < 0)
		return r;
	head[len] = 0;
	if (len < 3 || head[0] != '#' || head[1] != '!')
		return 0;
	name = head + 2 + strspn(head + 2, " \t");
	name[strcspn(name, " \t\r\n")] = 0;
	return !tree_resolve(tree, name);
}

/* Is it a link to one of PATHS? */
static bool leads_to(const struct tree *tree, const struct node *node, const struct strings *paths)
{
	const struct node *end = node->type == NODE_LINK ? tree_resolve(tree, node->path) : NULL;

	return end && strings_have(paths, end->path);
}

int drop_scripts(struct tree *tree, size_t *dropped, struct err *err)
{
	_cleanup_(strings_free) struct strings scripts = {0}, links = {0};
	int r = 0;

	for (size_t i = 0; i < tree->count && r >= 0; i++) {
		r = cannot_run(tree, tree->nodes[i], err);
		if (r > 0 && strings_add(&scripts, tree->nodes[i]->path) < 0)
			r = err_set(err, ENOMEM, "no memory");
	}
	for (size_t i = 0; i < tree->count && r >= 0; i++)
		if (leads_to(tree, tree->nodes[i], &scripts) && strings_add(&links, tree->nodes[i]->path) < 0)
			r = err_set(err, ENOMEM, "no memory");
	if (r < 0)
		return r;
	for (size_t i = 0; i < scripts.count; i++)
		tree_remove(tree, scripts.items[i]);
	for (size_t i = 0; i < links.count; i++)
		tree_remove(tree, links.items[i]);
	*dropped = scripts.count;
	return 0;
}

static int check_needed(const struct tree *tree, const struct node *node, const struct buf *needed, struct err *err)
{
	for (const char *name = needed->data; name && name < needed->data + needed->len; name += strlen(name) + 1) {
		char path[SONAME_MAX + sizeof LIBRARIES];

		snprintf(path, sizeof path, LIBRARIES "%s", name);
		if (!tree_resolve(tree, path))
			return err_set(
				err, ENOENT,
				"%s (%s): expected the library %s in the root, found none: drop the program, or do not "
				"list its package under provided",
				node->path, node->from, name);
	}
	return 0;
}

static int check_file(const struct tree *tree, const struct node *node, struct err *err)
{
	_cleanup_close_ int fd = open(node->source, O_RDONLY | O_CLOEXEC);
	struct elf_names names = {.soname = ""};
	void *data = fd < 0 ? MAP_FAILED : mmap(NULL, node->size, PROT_READ, MAP_PRIVATE, fd, 0);
	int r;

	if (data == MAP_FAILED)
		return err_errno(err, "read %s", node->source);
	r = elf_read_names(data, node->size, &names);
	munmap(data, node->size);
	if (r == -ENOENT)
		r = 0;
	else if (r < 0)
		r = err_set(err, -r, "%s: a damaged ELF file", node->path);
	else
		r = check_needed(tree, node, &names.needed, err);
	buf_free(&names.needed);
	return r;
}

int check_libraries(const struct tree *tree, struct err *err)
{
	for (size_t i = tree_lower_bound(tree, "/usr/"); i < tree->count; i++) {
		const struct node *node = tree->nodes[i];
		int r;

		if (strncmp(node->path, "/usr/", 5))
			break;
		if (node->type != NODE_FILE || !node->source || node->size < 64 ||
		    (!is_program(node) && !strstr(node->path, ".so")))
			continue;
		r = check_file(tree, node, err);
		if (r < 0)
			return r;
	}
	return 0;
}
