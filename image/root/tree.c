/* The tree of the root: adding, finding, following links. */
#include "root/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define LINKS_FOLLOWED_MAX 40

size_t tree_lower_bound(const struct tree *tree, const char *path)
{
	size_t low = 0, high = tree->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(tree->nodes[middle]->path, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct node *tree_find(const struct tree *tree, const char *path)
{
	size_t at = tree_lower_bound(tree, path);

	return at < tree->count && !strcmp(tree->nodes[at]->path, path) ? tree->nodes[at] : NULL;
}

static void node_free(struct node *node)
{
	if (!node)
		return;
	free(node->path);
	free(node->target);
	free(node->source);
	free(node->bytes);
	free(node->identity);
	free(node->from);
	free(node);
}

static char *copy(const char *string, bool *failed)
{
	char *new = string ? strdup(string) : NULL;

	if (string && !new)
		*failed = true;
	return new;
}

static struct node *node_make(const struct node_wish *wish, const char *path, const char *target)
{
	struct node *node = calloc(1, sizeof *node);
	bool failed = false;

	if (!node)
		return NULL;
	node->type = wish->type;
	node->mode = wish->type == NODE_LINK ? 0777 : wish->mode;
	node->uid = wish->uid;
	node->gid = wish->gid;
	node->size = wish->type == NODE_FILE ? wish->size : 0;
	node->path = copy(path, &failed);
	node->target = wish->type == NODE_LINK ? copy(target, &failed) : NULL;
	node->source = copy(wish->source, &failed);
	node->identity = copy(wish->identity, &failed);
	node->from = copy(wish->from ? wish->from : "keelson", &failed);
	if (wish->type == NODE_FILE && !wish->source) {
		node->bytes = malloc(wish->size ? wish->size : 1);
		if (node->bytes && wish->size)
			memcpy(node->bytes, wish->bytes, wish->size);
		failed |= !node->bytes;
	}
	if (failed) {
		node_free(node);
		return NULL;
	}
	return node;
}

static int insert(struct tree *tree, struct node *node)
{
	size_t at = tree_lower_bound(tree, node->path);

	if (tree->count == tree->room) {
		size_t room = tree->room ? tree->room * 2 : 1024;
		struct node **nodes = reallocarray(tree->nodes, room, sizeof *nodes);

		if (!nodes)
			return -ENOMEM;
		tree->nodes = nodes;
		tree->room = room;
	}
	memmove(&tree->nodes[at + 1], &tree->nodes[at], (tree->count - at) * sizeof *tree->nodes);
	tree->nodes[at] = node;
	tree->count++;
	return 0;
}

static int collide(struct node **there, struct node *new, bool replaces, struct err *err)
{
	static const char *const names[] = {"directory", "file", "link"};
	struct node *old = *there;
	bool same_link = old->type == NODE_LINK && new->type == NODE_LINK && !strcmp(old->target, new->target);

	if (same_link || (old->type == NODE_DIRECTORY && new->type == NODE_DIRECTORY)) {
		node_free(new);
		return 0;
	}
	if (replaces && old->type != NODE_DIRECTORY) {
		node_free(old);
		*there = new;
		return 0;
	}
	err_set(err, EEXIST,
		"%s: expected in one part only, found a %s of %s and a %s of %s: list it under replace or drop",
		new->path, names[old->type], old->from, names[new->type], new->from);
	node_free(new);
	return -EEXIST;
}

static int copy_path(const char *from, char to[PATH_MAX])
{
	return snprintf(to, PATH_MAX, "%s", from) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int tree_add(struct tree *tree, const struct node_wish *wish, struct err *err)
{
	char path[PATH_MAX], target[PATH_MAX] = "";
	struct node *node;
	size_t at;
	int r;

	if (wish->path[0] != '/' || !wish->path[1])
		return err_set(err, EINVAL, "expected an absolute path, found \"%s\"", wish->path);
	r = tree->verbatim ? copy_path(wish->path, path) : merge_path(wish->path, path);
	if (!r && wish->type == NODE_LINK)
		r = merge_target(wish->path, path, wish->target, target);
	if (r < 0)
		return err_set(err, -r, "%s: %s", wish->path, strerror(-r));
	if (path_dropped(tree->drop, path))
		return 0;
	node = node_make(wish, path, target);
	if (!node)
		return err_set(err, ENOMEM, "%s: no memory", path);
	at = tree_lower_bound(tree, path);
	if (at < tree->count && !strcmp(tree->nodes[at]->path, path))
		return collide(&tree->nodes[at], node,
			       wish->replaces || (tree->replace && strings_have(tree->replace, path)), err);
	r = insert(tree, node);
	if (r < 0) {
		node_free(node);
		return err_set(err, ENOMEM, "%s: no memory", path);
	}
	return 0;
}

int tree_add_bytes(struct tree *tree, const char *path, uint32_t mode, const void *bytes, size_t len, struct err *err)
{
	struct node_wish wish = {.path = path, .type = NODE_FILE, .mode = mode, .bytes = bytes, .size = len};

	return tree_add(tree, &wish, err);
}

int tree_add_text(struct tree *tree, const char *path, uint32_t mode, const char *text, struct err *err)
{
	return tree_add_bytes(tree, path, mode, text, strlen(text), err);
}

int tree_add_file(struct tree *tree, const char *path, uint32_t mode, const char *source, struct err *err)
{
	struct node_wish wish = {.path = path, .type = NODE_FILE, .mode = mode, .source = source};
	struct stat st;

	if (stat(source, &st) < 0)
		return err_errno(err, "%s: content from %s", path, source);
	if (!S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: expected %s to be a file", path, source);
	wish.size = (uint64_t)st.st_size;
	return tree_add(tree, &wish, err);
}

int tree_add_link(struct tree *tree, const char *path, const char *target, struct err *err)
{
	struct node_wish wish = {.path = path, .type = NODE_LINK, .target = target};

	return tree_add(tree, &wish, err);
}

int tree_add_directory(struct tree *tree, const char *path, uint32_t mode, struct err *err)
{
	struct node_wish wish = {.path = path, .type = NODE_DIRECTORY, .mode = mode};

	return tree_add(tree, &wish, err);
}

/* Where a link leads: TARGET, or what it is relative to its directory; "." and ".." are resolved on the way by resolve.
 */
static int step(char path[PATH_MAX], const char *target, const char *rest)
{
	char next[PATH_MAX];
	char *slash = strrchr(path, '/');
	int len;

	if (slash)
		*slash = 0;
	len = target[0] == '/' ? snprintf(next, sizeof next, "%s%s", target, rest)
			       : snprintf(next, sizeof next, "%s/%s%s", path, target, rest);
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path, next, (size_t)len + 1);
	return 0;
}

struct node *tree_resolve(const struct tree *tree, const char *path)
{
	char todo[PATH_MAX], done[PATH_MAX];
	int followed = 0;

	if (snprintf(todo, sizeof todo, "%s", path) >= PATH_MAX)
		return NULL;
again:
	done[0] = 0;
	for (char *p = todo; *p;) {
		size_t len = strcspn(p, "/"), end = strlen(done);
		struct node *node;

		if (len == 2 && !strncmp(p, "..", 2)) {
			*(strrchr(done, '/') ? strrchr(done, '/') : done) = 0;
		} else if (len && !(len == 1 && *p == '.')) {
			if (end + len + 2 > sizeof done)
				return NULL;
			done[end] = '/';
			memcpy(done + end + 1, p, len);
			done[end + 1 + len] = 0;
			node = tree_find(tree, done);
			if (!node)
				return NULL;
			if (node->type == NODE_LINK) {
				char rest[PATH_MAX];

				snprintf(rest, sizeof rest, "%s", p + len);
				if (++followed > LINKS_FOLLOWED_MAX || step(done, node->target, rest) < 0)
					return NULL;
				memcpy(todo, done, strlen(done) + 1);
				goto again;
			}
		}
		p += len + (p[len] == '/');
	}
	return tree_find(tree, done);
}

int tree_complete(struct tree *tree, struct err *err)
{
	for (size_t i = 0; i < tree->count; i++) {
		char parent[PATH_MAX];
		char *slash;
		struct node *above;
		int r;

		snprintf(parent, sizeof parent, "%s", tree->nodes[i]->path);
		slash = strrchr(parent, '/');
		if (slash == parent)
			continue;
		*slash = 0;
		above = tree_find(tree, parent);
		if (above && above->type != NODE_DIRECTORY)
			return err_set(err, ENOTDIR, "%s: expected %s to be a directory, found another thing of %s",
				       tree->nodes[i]->path, parent, above->from);
		if (above)
			continue;
		r = tree_add_directory(tree, parent, 0755, err);
		if (r < 0)
			return r;
		if (!tree_find(tree, parent))
			return err_set(err, EINVAL, "%s: expected its directory in the root, found it dropped",
				       tree->nodes[i]->path);
		i = tree_lower_bound(tree, parent) - 1; /* its own parent comes next; the loop adds 1 */
	}
	return 0;
}

void tree_remove(struct tree *tree, const char *path)
{
	size_t at = tree_lower_bound(tree, path);

	if (at == tree->count || strcmp(tree->nodes[at]->path, path))
		return;
	node_free(tree->nodes[at]);
	tree->count--;
	memmove(&tree->nodes[at], &tree->nodes[at + 1], (tree->count - at) * sizeof *tree->nodes);
}

int node_content(const struct node *node, size_t max, char **bytes, struct err *err)
{
	_cleanup_(buf_free) struct buf buf = {.max = max + 1};
	int r;

	if (node->type != NODE_FILE)
		return err_set(err, EINVAL, "%s: expected a file", node->path);
	if (node->size > max)
		return err_set(err, EFBIG, "%s: expected at most %zu bytes, found %llu", node->path, max,
			       (unsigned long long)node->size);
	r = node->source ? file_read(node->source, max, &buf, err) : buf_add(&buf, node->bytes, node->size);
	if (r < 0)
		return r == -ENOMEM ? err_set(err, ENOMEM, "%s: no memory", node->path) : r;
	if (!buf.data && buf_add(&buf, "", 0) < 0)
		return err_set(err, ENOMEM, "%s: no memory", node->path);
	*bytes = take_pointer(buf.data);
	return 0;
}

void tree_free(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		node_free(tree->nodes[i]);
	free(tree->nodes);
	tree->nodes = NULL;
	tree->count = tree->room = 0;
}
