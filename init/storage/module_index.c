/* The tables that depmod makes for fast look-up.
 *
 * A tree of characters: a node has a prefix, children by their first character, and values. A pattern's '*', '?' and
 * '[' are characters like others; where one begins, everything below is compared as a pattern. The tables lie on the
 * verified root; a damaged one is no reason to read beyond its end all the same.
 * Source: kmod libkmod/libkmod-index.c, its format version 2.1.
 */
#include "storage/module_index.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/alias.h"

#define MAGIC 0xb007f457U
#define VERSION 0x00020001U
#define HAS_PREFIX 0x80000000U
#define HAS_VALUES 0x40000000U
#define HAS_CHILDREN 0x20000000U
#define OFFSET_MASK 0x0fffffffU
#define PATTERN_MAX 1024
#define DEPTH_MAX 256

struct node {
	const char *prefix; /* "" when there is none */
	const uint8_t *children;
	uint8_t first, last; /* first > last: no children */
	const uint8_t *values;
	uint32_t value_count;
};

/* A pattern being put together on the way down, and who wants to know. */
struct search {
	const struct module_index *index;
	const char *key;
	index_found *found;
	void *context;
	size_t nodes_left; /* to look at: a table in which a node leads back to itself ends there */
	char pattern[PATTERN_MAX];
};

static bool be32_in(const struct module_index *index, size_t at, uint32_t *value)
{
	const uint8_t *p = index->data + at;

	if (at > index->len || index->len - at < 4)
		return false;
	*value = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
	return true;
}

/* A string with its end inside; at moves behind it. */
static const char *string_in(const struct module_index *index, size_t *at)
{
	const void *end = *at < index->len ? memchr(index->data + *at, 0, index->len - *at) : NULL;
	const char *string = (const char *)index->data + *at;

	if (!end)
		return NULL;
	*at = (size_t)((const uint8_t *)end - index->data) + 1;
	return string;
}

static bool read_node(const struct module_index *index, uint32_t offset, struct node *node)
{
	size_t at = offset & OFFSET_MASK;

	*node = (struct node){.prefix = "", .first = 1};
	if (!at || at >= index->len)
		return false;
	if (offset & HAS_PREFIX && !(node->prefix = string_in(index, &at)))
		return false;
	if (offset & HAS_CHILDREN) {
		size_t bytes;

		if (index->len - at < 2)
			return false;
		node->first = index->data[at++];
		node->last = index->data[at++];
		node->children = index->data + at;
		bytes = node->first <= node->last ? ((size_t)node->last - node->first + 1) * 4 : 0;
		if (index->len - at < bytes)
			return false;
		at += bytes;
	}
	if (offset & HAS_VALUES) {
		if (!be32_in(index, at, &node->value_count))
			return false;
		node->values = index->data + at + 4;
	}
	return true;
}

static bool child(struct search *s, const struct node *node, uint8_t c, struct node *into)
{
	uint32_t offset;

	if (c < node->first || c > node->last || !s->nodes_left ||
	    !be32_in(s->index, (size_t)(node->children - s->index->data) + (size_t)(c - node->first) * 4, &offset) ||
	    !read_node(s->index, offset, into))
		return false;
	s->nodes_left--;
	return true;
}

static void tell_values(const struct search *s, const struct node *node)
{
	size_t at = node->values ? (size_t)(node->values - s->index->data) : 0;

	for (uint32_t i = 0; i < node->value_count; i++) {
		const char *value;
		uint32_t priority;

		if (!be32_in(s->index, at, &priority))
			return;
		at += 4;
		value = string_in(s->index, &at);
		if (!value)
			return;
		s->found(s->context, value);
	}
}

/* Everything at and below a node, whose keys begin with pattern[0..len], against what is left of the key. */
static void match_below(struct search *s, const struct node *node, const char *prefix, size_t len, const char *rest,
			int depth)
{
	size_t more = strlen(prefix);
	struct node next;

	if (len + more + 2 > sizeof s->pattern || depth > DEPTH_MAX)
		return;
	memcpy(s->pattern + len, prefix, more);
	len += more;
	s->pattern[len] = 0;
	if (node->values && alias_matches(s->pattern, rest))
		tell_values(s, node);
	for (unsigned c = node->first; c <= node->last; c++)
		if (child(s, node, (uint8_t)c, &next)) {
			s->pattern[len] = (char)c;
			match_below(s, &next, next.prefix, len + 1, rest, depth + 1);
		}
}

static bool is_wild(char c)
{
	return c == '*' || c == '?' || c == '[';
}

static void match_wild_children(struct search *s, const struct node *node, const char *rest)
{
	static const char wild[] = "*?[";
	struct node next;

	for (size_t i = 0; wild[i]; i++)
		if (child(s, node, (uint8_t)wild[i], &next)) {
			s->pattern[0] = wild[i];
			match_below(s, &next, next.prefix, 1, rest, 0);
		}
}

static void search(struct search *s, bool wild)
{
	const char *at = s->key;
	struct node node, next;
	uint32_t root;

	if (!be32_in(s->index, 8, &root) || !read_node(s->index, root, &node))
		return;
	s->nodes_left = s->index->len / 4; /* a node is pointed to by four bytes, and by nobody else */
	for (;;) {
		const char *p = node.prefix;

		while (*p && *p == *at && !(wild && is_wild(*p))) {
			p++;
			at++;
		}
		if (wild && is_wild(*p)) {
			match_below(s, &node, p, 0, at, 0);
			return;
		}
		if (*p)
			return;
		if (wild)
			match_wild_children(s, &node, at);
		if (!*at) {
			tell_values(s, &node);
			return;
		}
		if (!child(s, &node, (uint8_t)*at, &next))
			return;
		at++;
		node = next;
	}
}

int index_check(const struct module_index *index)
{
	uint32_t magic, version, root;
	struct node node;

	if (!be32_in(index, 0, &magic) || !be32_in(index, 4, &version) || !be32_in(index, 8, &root) || magic != MAGIC ||
	    version != VERSION || !read_node(index, root, &node))
		return -EBADMSG;
	return 0;
}

void index_find(const struct module_index *index, const char *key, index_found *found, void *context)
{
	struct search s = {.index = index, .key = key, .found = found, .context = context};

	search(&s, false);
}

void index_match(const struct module_index *index, const char *key, index_found *found, void *context)
{
	struct search s = {.index = index, .key = key, .found = found, .context = context};

	search(&s, true);
}
