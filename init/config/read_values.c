/* A tree as values typed by the schema. Every deviation is reported with its place, and reading goes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/document.h"
#include "config/kubelet_fields.h"
#include "config/schema.h"

#define SHOWN_BYTES 400u
#define FOUND_BYTES 48u

static json_t *read_value(const struct key *key, const char *shown, const struct yaml_node *node,
			  struct report *report);

static const char *kind_name(const struct yaml_node *node)
{
	return node->kind == YAML_MAP ? "a map" : node->kind == YAML_LIST ? "a list" : "text";
}

/* What was found, for a message: short, in one line, and never a secret. */
static void describe(const struct key *key, const struct yaml_node *node, char *out, size_t room)
{
	const char *p = node->text;
	size_t n = 0;
	bool cut;

	if (node->kind != YAML_TEXT) {
		snprintf(out, room, "%s", kind_name(node));
		return;
	}
	if (node->plain && !*node->text) {
		snprintf(out, room, "nothing");
		return;
	}
	if (key->flags & KEY_SECRET) {
		snprintf(out, room, "%zu characters", strlen(node->text));
		return;
	}
	out[n++] = '"';
	for (; *p && n < FOUND_BYTES; p++)
		out[n++] = *p == '\n' || *p == '\r' || *p == '\t' ? ' ' : *p;
	cut = *p;
	for (; (*p & 0xc0) == 0x80; p--) /* not in the middle of a character */
		n--;
	snprintf(out + n, room - n, "%s\"", cut ? "…" : "");
}

static void expected_found(const struct key *key, const char *shown, const struct yaml_node *node, const char *expected,
			   struct report *report)
{
	char found[FOUND_BYTES + 16];

	describe(key, node, found, sizeof found);
	report_error(report, node->line, node->column, "%s%sexpected %s, found %s", shown, *shown ? ": " : "", expected,
		     found);
}

bool yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_TEXT && node->plain &&
	       (!*node->text || !strcmp(node->text, "~") || !strcasecmp(node->text, "null"));
}

/* 1, 0, or -1 for anything else. The schema wants a boolean here, so that no word can be meant as text. */
static int as_bool(const struct yaml_node *node)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};

	for (size_t i = 0; node->plain && i < sizeof words / sizeof words[0]; i++)
		if (!strcasecmp(node->text, words[i]))
			return i % 2;
	return -1;
}

static json_t *read_bool(const struct key *key, const char *shown, const struct yaml_node *node, struct report *report)
{
	int value = as_bool(node);

	if (value >= 0)
		return json_boolean(value);
	expected_found(key, shown, node, node->plain ? "true or false" : "true or false without quotes", report);
	return NULL;
}

/* "a|b|c" as "a, b or c". */
static void join_words(const char *words, char *out, size_t room)
{
	size_t n = 0;

	for (const char *p = words; *p && n + 8 < room; p++) {
		if (*p != '|')
			out[n++] = *p;
		else
			n += (size_t)snprintf(out + n, room - n, "%s", strchr(p + 1, '|') ? ", " : " or ");
	}
	out[n] = 0;
}

static json_t *read_choice(const struct key *key, const char *shown, const struct yaml_node *node,
			   struct report *report)
{
	char words[200];
	size_t len = strlen(node->text);

	if (!strncmp(key->words, "true|false|", 11) && as_bool(node) >= 0)
		return json_boolean(as_bool(node));
	for (const char *p = key->words; len; p++) {
		size_t word = strcspn(p, "|");

		if (word == len && !strncmp(p, node->text, len))
			return json_string(node->text);
		p += word;
		if (!*p)
			break;
	}
	join_words(key->words, words, sizeof words);
	expected_found(key, shown, node, words, report);
	return NULL;
}

static json_t *read_text(const struct key *key, const char *shown, const struct yaml_node *node, struct report *report)
{
	const struct type_info *info = &type_infos[key->type];
	size_t max = (size_t)(key->max && key->type != TYPE_PREFIX ? key->max : info->max);
	struct err expected = {""};
	char text[sizeof expected.text];

	if (node->binary && key->type != TYPE_CONTENT) {
		expected_found(key, shown, node, "text without the tag !!binary", report);
		return NULL;
	}
	if (strlen(node->text) > max) {
		report_error(report, node->line, node->column, "%s: expected at most %zu bytes, found %zu", shown, max,
			     strlen(node->text));
		return NULL;
	}
	if (key->type != TYPE_PREFIX && (long)strlen(node->text) < key->min) {
		expected_found(key, shown, node, "a value", report);
		return NULL;
	}
	if (info->check(key, node->text, &expected)) {
		if (key->type == TYPE_PERMISSIONS)
			return json_integer(
				(json_int_t)strtoul(node->text + (strncmp(node->text, "0o", 2) ? 0 : 2), NULL, 8));
		return json_string(node->text);
	}
	if (*expected.text)
		snprintf(text, sizeof text, "%s", expected.text);
	else if (key->type == TYPE_PREFIX)
		snprintf(text, sizeof text, "a prefix such as %s", key->standard);
	else
		snprintf(text, sizeof text, "%s", info->expected);
	expected_found(key, shown, node, text, report);
	return NULL;
}

/* YAML 1.2's core schema without octal and hexadecimal, which readers of YAML 1.1 would take for something else. */
static json_t *free_text(const struct yaml_node *node)
{
	const char *text = node->text;
	const char *digits = text + (*text == '-');
	char *end = NULL;
	double real;

	if (!node->plain)
		return json_string(text);
	if (yaml_is_null(node))
		return json_null();
	if (!strcasecmp(text, "true") || !strcasecmp(text, "false"))
		return json_boolean(!strcasecmp(text, "true"));
	if (strspn(digits, "0123456789") == strlen(digits) && *digits && strlen(digits) < 19 &&
	    (*digits != '0' || !digits[1]))
		return json_integer(strtoll(text, NULL, 10));
	if (strspn(text, "-+.0123456789eE") == strlen(text) && strpbrk(text, "0123456789") && strpbrk(text, ".eE")) {
		real = strtod(text, &end);
		if (end && !*end && real - real == 0)
			return json_real(real);
	}
	return json_string(text);
}

static json_t *read_free(const struct yaml_node *node)
{
	json_t *made;

	if (node->kind == YAML_TEXT)
		return free_text(node);
	made = node->kind == YAML_MAP ? json_object() : json_array();
	for (size_t i = 0; i < node->count; i++) {
		json_t *value = read_free(node->children[i].value);

		if (node->kind == YAML_MAP)
			json_object_set_new(made, node->children[i].key->text, value);
		else
			json_array_append_new(made, value);
	}
	return made;
}

static void show_child(const char *shown, const char *name, char *out)
{
	snprintf(out, SHOWN_BYTES, "%s%s%.128s", shown, *shown ? "." : "", name);
}

static void unknown_key(const struct key *map, const char *shown, const struct yaml_node *key, struct report *report)
{
	const char *path = map ? map->path : "";
	const char *nearest = schema_nearest(path, key->text);
	const struct key *elsewhere = schema_elsewhere(path, key->text);
	const char *field = strcmp(path, "keelson.kubelet") ? NULL : kubelet_field_near(key->text);

	if (!strcmp(key->text, "<<"))
		report_error(report, key->line, key->column, "%s: merge keys are not supported: write the keys out",
			     shown);
	else if (nearest)
		report_error(report, key->line, key->column, "%s: unknown key, the nearest is %s", shown, nearest);
	else if (field)
		report_error(report, key->line, key->column, "%s: unknown key, there is keelson.kubelet.config.%s",
			     shown, field);
	else if (elsewhere)
		report_error(report, key->line, key->column, "%s: unknown key, there is %s", shown, elsewhere->path);
	else
		report_error(report, key->line, key->column, "%s: unknown key", shown);
}

/* A free map's key must itself look like something: a label, a flag, a registry. */
static bool check_name(const struct key *row, const char *shown, const struct yaml_node *node, struct report *report)
{
	const struct type_info *info = &type_infos[row->name];
	const struct key name = {.path = row->path, .type = row->name};
	struct err expected = {""};

	if (strlen(node->text) <= (size_t)info->max && info->check(&name, node->text, &expected))
		return true;
	report_error(report, node->line, node->column, "%s: expected %s", shown,
		     *expected.text ? expected.text : info->expected);
	return false;
}

static void read_child(const struct key *map, const char *shown, const struct yaml_child *child, json_t *made,
		       struct report *report)
{
	const struct key *row = schema_child(map ? map->path : "", child->key->text);
	const struct yaml_node *at = child->key;
	char below[SHOWN_BYTES];
	json_t *value;

	show_child(shown, at->text, below);
	if (!row) {
		unknown_key(map, below, at, report);
	} else if (row->flags & KEY_REFUSED) {
		report_error(report, at->line, at->column, "%s: not supported: %s", below, row->help);
	} else if (row->flags & KEY_IGNORED) {
		report_warning(report, at->line, at->column, "%s: ignored: %s", below, row->help);
	} else if (!strcmp(key_name(row), "*") && !check_name(row, below, at, report)) {
		return;
	} else if (!strcmp(key_name(row), "*") && row->type != TYPE_FREE && yaml_is_null(child->value)) {
		/* a key of the schema without a value has its default; a name that a person chose has none */
		expected_found(row, below, child->value,
			       row->type == TYPE_MAP ? "a map"
			       : row->min	     ? "a value"
						     : "a value (\"\" is an empty one)",
			       report);
	} else if (row->type == TYPE_FREE || !yaml_is_null(child->value)) {
		value = read_value(row, below, child->value, report);
		if (value)
			json_object_set_new(made, at->text, value);
	}
}

/* Keys that must be there: reported at the map that lacks them. */
static void check_required(const struct key *map, const char *shown, const struct yaml_node *node,
			   struct report *report)
{
	for (const struct key *row = schema_keys; row->path; row++) {
		const struct yaml_child *child;

		if (!(row->flags & KEY_REQUIRED) || !key_is_child(row, map ? map->path : ""))
			continue;
		child = yaml_child_of(node, key_name(row));
		if (!child || yaml_is_null(child->value))
			report_error(report, node->line, node->column, "%s: expected the key %s", shown, key_name(row));
	}
}

static bool count_fits(const struct key *key, const char *shown, const struct yaml_node *node, struct report *report)
{
	size_t max = (size_t)(key && key->max ? key->max : 1000);

	if (node->count <= max)
		return true;
	report_error(report, node->line, node->column, "%s%sexpected at most %zu entries, found %zu", shown,
		     *shown ? ": " : "", max, node->count);
	return false;
}

static json_t *read_map(const struct key *key, const char *shown, const struct yaml_node *node, struct report *report)
{
	json_t *made = json_object();

	if (!count_fits(key, shown, node, report))
		return made;
	for (size_t i = 0; i < node->count; i++)
		/* of a duplicate key, which was reported, the first counts, here as everywhere */
		if (yaml_child_of(node, node->children[i].key->text) == &node->children[i])
			read_child(key, shown, &node->children[i], made, report);
	check_required(key, shown, node, report);
	return made;
}

/* Entries that are wrong become null, so that the others keep their number. */
static json_t *read_list(const struct key *key, const char *shown, const struct yaml_node *node, struct report *report)
{
	json_t *made = json_array();
	char path[SHOWN_BYTES], below[SHOWN_BYTES];
	const struct key *row;

	snprintf(path, sizeof path, "%s[]", key->path);
	row = schema_find(path);
	if (!row || !count_fits(key, shown, node, report))
		return made;
	for (size_t i = 0; i < node->count; i++) {
		json_t *value;

		snprintf(below, sizeof below, "%.380s[%zu]", shown, i);
		value = read_value(row, below, node->children[i].value, report);
		json_array_append_new(made, value ? value : json_null());
	}
	return made;
}

/* Returns NULL when the value is wrong, which is then in the report. */
static json_t *read_value(const struct key *key, const char *shown, const struct yaml_node *node, struct report *report)
{
	enum yaml_kind want = key->type == TYPE_MAP ? YAML_MAP : key->type == TYPE_LIST ? YAML_LIST : YAML_TEXT;

	if (key->type == TYPE_FREE)
		return read_free(node);
	if (node->kind != want) {
		expected_found(key, shown, node, type_infos[key->type].expected, report);
		return NULL;
	}
	switch (key->type) {
	case TYPE_MAP:
		return read_map(key, shown, node, report);
	case TYPE_LIST:
		return read_list(key, shown, node, report);
	case TYPE_BOOL:
		return read_bool(key, shown, node, report);
	case TYPE_CHOICE:
		return read_choice(key, shown, node, report);
	default:
		return read_text(key, shown, node, report);
	}
}

json_t *read_values(const struct yaml_node *root, struct report *report)
{
	if (!root || yaml_is_null(root))
		return json_object();
	if (root->kind != YAML_MAP) {
		report_error(report, root->line, root->column, "expected a map (key: value), found %s",
			     kind_name(root));
		return json_object();
	}
	return read_map(NULL, "", root, report);
}
