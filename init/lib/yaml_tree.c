/* libyaml's events as a bounded tree. */
#include "lib/yaml_tree.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "lib/cleanup.h"
#include "lib/order.h"

#define BLANK_LINES_MAX 200u
#define ANCHORS_MAX 200u
#define TAG_PREFIX "tag:yaml.org,2002:"

struct reading {
	yaml_parser_t parser;
	const struct yaml_problems *problems;
	struct yaml_tree *tree;
	struct {
		char *name;
		struct yaml_node *node;
	} anchors[ANCHORS_MAX];
	size_t anchor_count;
	size_t nodes, bytes; /* made so far, aliases counted in full */
};

static int build_node(struct reading *reading, yaml_event_t *event, unsigned depth, struct yaml_node **made);

static int problem(struct reading *reading, const yaml_mark_t *mark, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int problem(struct reading *reading, const yaml_mark_t *mark, const char *format, ...)
{
	char text[400];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	reading->problems->add(reading->problems->arg, (unsigned)mark->line + 1, (unsigned)mark->column + 1, text);
	return -EINVAL;
}

/* What libyaml says, in words that say what to do. */
static const struct {
	const char *theirs, *ours;
} words[] = {
	{"found character that cannot start any token",
	 "expected a value, found one of @ ` %: put such a value in quotes"},
	{"found a tab character where an indentation space is expected", "found a tab: indent with spaces"},
	{"found a tab character that violates indentation", "found a tab: indent with spaces"},
	{"mapping values are not allowed in this context",
	 "found a second \": \" in one value: put the value in quotes, or check the indentation"},
	{"did not find expected key", "expected a key: check the indentation, and quotes in the lines before"},
	{"did not find expected '-' indicator", "expected \"- \" as in the lines before: check the indentation"},
	{"could not find expected ':'", "expected \":\" behind the key"},
	{"found unexpected end of stream", "expected a closing quote, found the end of the text"},
	{"found undefined tag handle", "expected no tag"},
	{"did not find expected node content", "expected a value: put one that begins with : in quotes"},
	{"did not find expected <document start>", "expected nothing behind the end of the document (\"...\")"},
};

static bool is_tab_at(const char *text, size_t len, size_t index)
{
	size_t i = 0;

	/* marks count characters: every byte that does not continue one; a NUL is behind the last */
	for (; i < len && (index || ((unsigned char)text[i] & 0xc0) == 0x80); i++)
		index -= ((unsigned char)text[i] & 0xc0) != 0x80;
	return text[i] == '\t';
}

static int syntax_problem(struct reading *reading, const char *input, size_t len)
{
	const yaml_parser_t *p = &reading->parser;
	const char *text = p->problem ? p->problem : "not YAML";
	yaml_mark_t mark = p->problem_mark;

	if (p->error == YAML_MEMORY_ERROR)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (!strcmp(words[i].theirs, text))
			text = words[i].ours;
	if (p->problem && !strcmp(p->problem, words[0].theirs) && is_tab_at(input, len, mark.index))
		text = words[1].ours;
	if (p->context && p->context_mark.line != mark.line)
		return problem(reading, &mark, "%s (%s that starts in line %zu)", text, p->context,
			       p->context_mark.line + 1);
	return problem(reading, &mark, "%s", text);
}

static int next_event(struct reading *reading, yaml_event_t *event)
{
	return yaml_parser_parse(&reading->parser, event) ? 0 : -EBADMSG;
}

static int too_many(struct reading *reading, const yaml_mark_t *mark)
{
	return problem(reading, mark, "expected at most %zu values, aliases counted as often as they are used",
		       YAML_MAX_NODES);
}

static int too_long(struct reading *reading, const yaml_mark_t *mark)
{
	return problem(reading, mark, "expected at most %zu bytes of text, aliases counted as often as they are used",
		       YAML_MAX_TEXT);
}

static int too_deep(struct reading *reading, const yaml_mark_t *mark)
{
	return problem(reading, mark, "expected at most %u levels", YAML_MAX_DEPTH);
}

static struct yaml_node *new_node(struct reading *reading, enum yaml_kind kind, const yaml_mark_t *mark)
{
	struct yaml_node *node = calloc(1, sizeof *node);

	if (!node)
		return NULL;
	node->kind = kind;
	node->line = (unsigned)mark->line + 1;
	node->column = (unsigned)mark->column + 1;
	node->weight = 1;
	node->next = reading->tree->all;
	reading->tree->all = node;
	return node;
}

static int remember_anchor(struct reading *reading, const yaml_char_t *name, const yaml_mark_t *mark,
			   struct yaml_node *node)
{
	if (!name)
		return 0;
	if (reading->anchor_count == ANCHORS_MAX)
		return problem(reading, mark, "expected at most %u anchors", ANCHORS_MAX);
	reading->anchors[reading->anchor_count].name = strdup((const char *)name);
	if (!reading->anchors[reading->anchor_count].name)
		return -ENOMEM;
	reading->anchors[reading->anchor_count++].node = node;
	return 0;
}

static int resolve_alias(struct reading *reading, const yaml_event_t *event, unsigned depth, struct yaml_node **made)
{
	const char *name = (const char *)event->data.alias.anchor;

	for (size_t i = reading->anchor_count; i-- > 0;) {
		struct yaml_node *node = reading->anchors[i].node;

		if (strcmp(reading->anchors[i].name, name))
			continue;
		if (!node->done)
			return problem(reading, &event->start_mark, "alias *%s lies inside the value it names", name);
		if (depth + node->height > YAML_MAX_DEPTH)
			return too_deep(reading, &event->start_mark);
		/* the one node that the caller counted already is part of the weight */
		reading->nodes += node->weight - 1;
		reading->bytes += node->bytes;
		if (reading->nodes > YAML_MAX_NODES)
			return too_many(reading, &event->start_mark);
		if (reading->bytes > YAML_MAX_TEXT)
			return too_long(reading, &event->start_mark);
		*made = node;
		return 0;
	}
	return problem(reading, &event->start_mark, "alias *%s: expected an anchor &%s before it", name, name);
}

/* The schema says what a value is, so a tag says nothing, except that its text is base64. */
static int check_tag(struct reading *reading, const yaml_char_t *tag, const yaml_mark_t *mark, bool *binary)
{
	static const char *const known[] = {"str", "int", "float", "bool", "null", "map", "seq", "timestamp"};
	const char *name = (const char *)tag;

	if (!name || !strcmp(name, "!"))
		return 0;
	if (!strncmp(name, TAG_PREFIX, sizeof TAG_PREFIX - 1)) {
		name += sizeof TAG_PREFIX - 1;
		*binary = !strcmp(name, "binary");
		for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
			if (*binary || !strcmp(name, known[i]))
				return 0;
	}
	return problem(reading, mark, "expected no tag, found %.60s", (const char *)tag);
}

static int build_text(struct reading *reading, const yaml_event_t *event, struct yaml_node **made)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	struct yaml_node *node = new_node(reading, YAML_TEXT, &event->start_mark);
	int r;

	if (!node)
		return -ENOMEM;
	if (memchr(value, 0, len))
		return problem(reading, &event->start_mark, "expected text, found a NUL character in it");
	r = check_tag(reading, event->data.scalar.tag, &event->start_mark, &node->binary);
	if (r < 0)
		return r;
	node->text = strndup(value, len);
	if (!node->text)
		return -ENOMEM;
	node->bytes = len;
	reading->bytes += len;
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	node->done = true;
	*made = node;
	return remember_anchor(reading, event->data.scalar.anchor, &event->start_mark, node);
}

static int add_child(struct yaml_node *parent, struct yaml_node *key, struct yaml_node *value)
{
	if (parent->count == parent->room) {
		size_t room = parent->room ? parent->room * 2 : 4;
		struct yaml_child *more = realloc(parent->children, room * sizeof *more);

		if (!more)
			return -ENOMEM;
		parent->children = more;
		parent->room = room;
	}
	parent->children[parent->count++] = (struct yaml_child){key, value};
	parent->weight += value->weight + (key ? key->weight : 0);
	parent->bytes += value->bytes + (key ? key->bytes : 0);
	if (parent->height <= value->height)
		parent->height = value->height + 1;
	return 0;
}

static int by_key_then_place(const void *left, const void *right)
{
	const struct yaml_node *a = (*(const struct yaml_child *const *)left)->key;
	const struct yaml_node *b = (*(const struct yaml_child *const *)right)->key;
	int order = strcmp(a->text, b->text);

	if (order)
		return order;
	order = order_of(a->line, b->line);
	return order ? order : order_of(a->column, b->column);
}

/* Sorted rather than compared pair by pair: a map may have thousands of keys. */
static int report_duplicates(struct reading *reading, const struct yaml_node *map)
{
	_cleanup_free_ const struct yaml_child **sorted = calloc(map->count + 1, sizeof(struct yaml_child *));
	const struct yaml_node *first = NULL;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < map->count; i++)
		sorted[i] = &map->children[i];
	qsort(sorted, map->count, sizeof(struct yaml_child *), by_key_then_place);
	for (size_t i = 0; i < map->count; i++) {
		const struct yaml_node *key = sorted[i]->key;
		yaml_mark_t mark = {.line = key->line - 1, .column = key->column - 1};

		if (first && !strcmp(first->text, key->text))
			problem(reading, &mark, "duplicate key %.60s, first in line %u", key->text, first->line);
		else
			first = key;
	}
	return 0;
}

static int report_all_duplicates(struct reading *reading)
{
	int r = 0;

	for (const struct yaml_node *node = reading->tree->all; node && !r; node = node->next)
		if (node->kind == YAML_MAP)
			r = report_duplicates(reading, node);
	return r;
}

static int build_children(struct reading *reading, struct yaml_node *node, yaml_event_type_t end, unsigned depth)
{
	for (;;) {
		struct yaml_node *key = NULL, *value = NULL;
		yaml_event_t event;
		int r = next_event(reading, &event);

		if (r < 0)
			return r;
		if (event.type == end) {
			yaml_event_delete(&event);
			return 0;
		}
		if (node->kind == YAML_MAP) {
			yaml_mark_t mark = event.start_mark;

			r = build_node(reading, &event, depth, &key);
			if (!r && key && key->kind != YAML_TEXT)
				r = problem(reading, &mark, "expected a word as key, found a %s",
					    key->kind == YAML_MAP ? "map" : "list");
			if (!r)
				r = next_event(reading, &event);
			if (r < 0)
				return r;
		}
		r = build_node(reading, &event, depth, &value);
		if (!r && value)
			r = add_child(node, key, value);
		if (r < 0)
			return r;
	}
}

static int build_collection(struct reading *reading, const yaml_event_t *event, unsigned depth, struct yaml_node **made)
{
	bool map = event->type == YAML_MAPPING_START_EVENT, binary = false;
	const yaml_char_t *tag = map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	const yaml_char_t *anchor = map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
	struct yaml_node *node = new_node(reading, map ? YAML_MAP : YAML_LIST, &event->start_mark);
	int r;

	if (!node)
		return -ENOMEM;
	r = check_tag(reading, tag, &event->start_mark, &binary);
	if (!r)
		r = remember_anchor(reading, anchor, &event->start_mark, node);
	if (!r)
		r = build_children(reading, node, map ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT, depth + 1);
	node->done = true;
	*made = node;
	return r;
}

/* Turns the event into a node, and deletes the event. */
static int build_node(struct reading *reading, yaml_event_t *event, unsigned depth, struct yaml_node **made)
{
	int r;

	if (++reading->nodes > YAML_MAX_NODES)
		r = too_many(reading, &event->start_mark);
	else if (depth > YAML_MAX_DEPTH)
		r = too_deep(reading, &event->start_mark);
	else if (event->type == YAML_ALIAS_EVENT)
		r = resolve_alias(reading, event, depth, made);
	else if (event->type == YAML_SCALAR_EVENT)
		r = build_text(reading, event, made);
	else
		r = build_collection(reading, event, depth, made);
	yaml_event_delete(event);
	return r;
}

static int build_stream(struct reading *reading)
{
	unsigned documents = 0;

	for (;;) {
		yaml_event_t event;
		yaml_event_type_t type;
		int r = next_event(reading, &event);

		if (r < 0)
			return r;
		type = event.type;
		if (type == YAML_DOCUMENT_START_EVENT && documents++)
			r = problem(reading, &event.start_mark, "expected one document, found a second one");
		if (!r && (type == YAML_SCALAR_EVENT || type == YAML_ALIAS_EVENT || type == YAML_MAPPING_START_EVENT ||
			   type == YAML_SEQUENCE_START_EVENT))
			r = build_node(reading, &event, 1, &reading->tree->root);
		else
			yaml_event_delete(&event);
		if (r < 0 || type == YAML_STREAM_END_EVENT)
			return r;
	}
}

/* One go of the parser. -EBADMSG: the text is no YAML; where, is in the parser. */
static int read_once(struct reading *reading, const char *text, size_t len)
{
	if (!yaml_parser_initialize(&reading->parser))
		return -ENOMEM;
	yaml_parser_set_encoding(&reading->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reading->parser, (const unsigned char *)text, len);
	reading->anchor_count = 0;
	reading->nodes = 0;
	reading->bytes = 0;
	return build_stream(reading);
}

static void end_reading(struct reading *reading)
{
	for (size_t i = 0; i < reading->anchor_count; i++)
		free(reading->anchors[i].name);
	reading->anchor_count = 0;
	yaml_parser_delete(&reading->parser);
}

/* Editors leave lines of tabs alone; libyaml refuses them, cloud-init's users expect them to be blank. The parser is
 * right about every other tab, and only it knows which lines are text: so it is asked, and such a line is emptied. */
static int read_tolerant(struct reading *reading, char *text, size_t len)
{
	for (unsigned blanked = 0;; blanked++) {
		int r = read_once(reading, text, len);
		unsigned line = (unsigned)reading->parser.problem_mark.line + 1;

		if (r == -EBADMSG && blanked < BLANK_LINES_MAX && yaml_text_blank_line(text, len, line)) {
			end_reading(reading);
			yaml_tree_free(reading->tree);
			continue;
		}
		if (r == -EBADMSG)
			r = syntax_problem(reading, text, len);
		end_reading(reading);
		return r;
	}
}

int yaml_tree_read(const char *text, size_t len, const struct yaml_problems *problems, struct yaml_tree *tree)
{
	struct reading reading = {.problems = problems, .tree = tree};
	_cleanup_free_ char *copy = NULL;
	yaml_mark_t mark = {0};
	unsigned line, column;
	const char *found;
	int r;

	*tree = (struct yaml_tree){0};
	if (len > YAML_MAX_BYTES)
		return problem(&reading, &mark, "expected at most %zu bytes, found %zu", YAML_MAX_BYTES, len);
	if (yaml_text_check(text, len, &line, &column, &found) < 0) {
		mark = (yaml_mark_t){.line = line - 1, .column = column - 1};
		return problem(&reading, &mark, "expected text, found %s", found);
	}
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		len -= 3;
	}
	copy = malloc(len + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, len);
	copy[len] = 0;
	r = read_tolerant(&reading, copy, len);
	if (!r)
		r = report_all_duplicates(&reading);
	if (r < 0)
		yaml_tree_free(tree);
	return r;
}

void yaml_tree_free(struct yaml_tree *tree)
{
	struct yaml_node *next;

	for (struct yaml_node *node = tree->all; node; node = next) {
		next = node->next;
		free(node->text);
		free(node->children);
		free(node);
	}
	*tree = (struct yaml_tree){0};
}

const struct yaml_child *yaml_child_of(const struct yaml_node *node, const char *key)
{
	if (!node || node->kind != YAML_MAP)
		return NULL;
	for (size_t i = 0; i < node->count; i++)
		if (!strcmp(node->children[i].key->text, key))
			return &node->children[i];
	return NULL;
}
