/* YAML as a bounded tree, every node with its line and column.
 *
 * Scalars stay text: what a value means is said by the schema that reads it, never by YAML 1.1 (where 010 is eight,
 * `no` is false and 12:30:45 is a number). Bounds hold before memory is spent: bytes, depth, nodes and their text
 * with every alias counted as often as it is used, so that a few lines cannot mean a billion nodes.
 */
#ifndef KEELSON_YAML_TREE_H
#define KEELSON_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#define YAML_MAX_BYTES ((size_t)1 << 20)
#define YAML_MAX_DEPTH 32u
#define YAML_MAX_NODES ((size_t)20000)
#define YAML_MAX_TEXT (8 * YAML_MAX_BYTES)

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml_node {
	enum yaml_kind kind;
	unsigned line, column; /* 1-based; of the value's first character */
	bool plain;	       /* text without quotes: may be meant as null, true, 12 */
	bool binary;	       /* tagged !!binary */
	bool done;	       /* complete: an alias may name it */
	char *text;	       /* YAML_TEXT: UTF-8 without NUL */
	struct yaml_child *children;
	size_t count, room;
	unsigned height;	/* levels below it */
	size_t weight;		/* nodes it stands for, aliases counted in full */
	size_t bytes;		/* of their text, likewise */
	struct yaml_node *next; /* of all nodes of the tree, for freeing */
};

struct yaml_child {
	struct yaml_node *key; /* NULL in a list */
	struct yaml_node *value;
};

struct yaml_tree {
	struct yaml_node *root; /* NULL: nothing but comments */
	struct yaml_node *all;
};

/* Where problems go: one call each, in no particular order. */
struct yaml_problems {
	void (*add)(void *arg, unsigned line, unsigned column, const char *text);
	void *arg;
};

/* Read one document. A duplicate key is a problem but leaves a tree to look at further; anything else leaves none.
 * Returns 0 (also with duplicate keys), -EINVAL or -ENOMEM. The caller frees the tree with yaml_tree_free. */
int yaml_tree_read(const char *text, size_t len, const struct yaml_problems *problems, struct yaml_tree *tree);

void yaml_tree_free(struct yaml_tree *tree);

/* The child of a map by key; NULL when it is not there or node is no map (or NULL). */
const struct yaml_child *yaml_child_of(const struct yaml_node *node, const char *key);

/* ---- yaml_text.c: the bytes before the parser sees them */

/* The first thing in the text that no YAML may hold: a control character, bytes that are not UTF-8. Returns 0, or
 * -EINVAL with the place and what was found. */
int yaml_text_check(const char *text, size_t len, unsigned *line, unsigned *column, const char **found);

/* Turn the tabs of a line that holds nothing else but blanks into spaces. line is 1-based. Returns whether it did. */
bool yaml_text_blank_line(char *text, size_t len, unsigned line);

#endif
