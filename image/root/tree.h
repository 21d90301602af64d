/* The root file system before it is one: a sorted list of what it holds, in memory; contents are bytes or files.
 *
 * Paths are absolute and as the merged /usr has them: "/bin/ls" is taken as "/usr/bin/ls".
 */
#ifndef KEELSON_TREE_H
#define KEELSON_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "string_list.h"

enum node_type { NODE_DIRECTORY, NODE_FILE, NODE_LINK };

struct node {
	char *path;
	enum node_type type;
	uint32_t mode; /* permission bits; a link's is 0777 */
	uint32_t uid, gid;
	char *target;	/* of a link */
	char *source;	/* the content is this file's, or: */
	void *bytes;	/* the content */
	uint64_t size;	/* of the content */
	char *identity; /* names the content for the stamp of the root: "PACKAGE-SHA256/N", or NULL: hash it */
	char *from;	/* who put it here, for errors: "libc6" */
};

struct tree {
	struct node **nodes; /* sorted by path */
	size_t count, room;
	const struct strings *drop;    /* patterns; what matches is not added. NULL: none */
	const struct strings *replace; /* paths whose content a later part may replace. NULL: none */
	bool verbatim;		       /* paths are not moved into /usr */
};

/* What a caller gives to tree_add; strings and bytes are copied. */
struct node_wish {
	const char *path;
	enum node_type type;
	uint32_t mode, uid, gid;
	const char *target, *source;
	const void *bytes;
	uint64_t size;
	const char *identity, *from;
	bool replaces; /* also what is there already and not listed in tree->replace */
};

/* Add one. A directory that is there already stays as it was. Anything else that is there already is an error that
 * names both parts, unless it is listed in tree->replace or is equal. Returns 0, -EEXIST, -EINVAL or -ENOMEM. */
int tree_add(struct tree *tree, const struct node_wish *wish, struct err *err);

/* The same in fewer words, owned by root. Parents that are missing are made by tree_complete. */
int tree_add_text(struct tree *tree, const char *path, uint32_t mode, const char *text, struct err *err);
int tree_add_bytes(struct tree *tree, const char *path, uint32_t mode, const void *bytes, size_t len, struct err *err);
int tree_add_file(struct tree *tree, const char *path, uint32_t mode, const char *source, struct err *err);
int tree_add_link(struct tree *tree, const char *path, const char *target, struct err *err);
int tree_add_directory(struct tree *tree, const char *path, uint32_t mode, struct err *err);

struct node *tree_find(const struct tree *tree, const char *path);

/* The node that a path leads to when links are followed inside the tree, or NULL (nothing, or a loop). */
struct node *tree_resolve(const struct tree *tree, const char *path);

/* Index of the first node at or behind PATH in the order of paths. */
size_t tree_lower_bound(const struct tree *tree, const char *path);

/* Make the directories that nobody added, 0755 root. */
int tree_complete(struct tree *tree, struct err *err);

/* Take a node out; indexes of those behind it change. */
void tree_remove(struct tree *tree, const char *path);

/* The whole content of a file node in memory, to be freed; bounded by max. */
int node_content(const struct node *node, size_t max, char **bytes, struct err *err);

void tree_free(struct tree *tree);

/* Where PATH lies in a merged /usr: "/lib/x" -> "/usr/lib/x". Pure. Returns 0 or -ENAMETOOLONG. */
int merge_path(const char *path, char merged[PATH_MAX]);

/* The target of a link that moves from PATH to MERGED: a relative target that would lead elsewhere from there is
 * rewritten. Pure. Returns 0 or -ENAMETOOLONG. */
int merge_target(const char *path, const char *merged, const char *target, char result[PATH_MAX]);

/* Is PATH, or a directory above it, named by one of the patterns? "*" matches any characters, "/" too. Pure. */
bool path_dropped(const struct strings *patterns, const char *path);

#endif
