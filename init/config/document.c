/* One document of user-data: from bytes to checked values. */
#include "config/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 256

static void add_problem(void *arg, unsigned line, unsigned column, const char *text)
{
	report_error(arg, line, column, "%s", text);
}

/* Only aliases make more of a document than it is long. node.json, of at most NODE_CONFIG_MAX_BYTES, holds these values
 * with line breaks and blanks; each step of the node reads it whole. */
static void check_size(const json_t *values, struct report *report)
{
	size_t size = json_dumpb(values, NULL, 0, JSON_COMPACT);

	size -= json_dumpb(json_object_get(values, "write_files"), NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
	if (size > VALUES_MAX_BYTES)
		report_error(
			report, 0, 0,
			"expected values of at most %zu bytes, aliases counted as often as they are used, found %zu",
			VALUES_MAX_BYTES, size);
}

/* Only the node knows whether its image has the zone, and there the text's places are gone. */
static void keep_place_of_time_zone(const struct yaml_node *root, json_t *values)
{
	const struct yaml_child *zone = yaml_child_of(root, "timezone");

	if (json_object_get(values, "timezone"))
		json_object_set_new(values, "timezone_place",
				    json_pack("[i, i]", (int)zone->value->line, (int)zone->value->column));
}

int document_read(const void *bytes, size_t len, struct document *document)
{
	struct yaml_problems problems = {add_problem, &document->report};
	struct yaml_tree tree = {0};
	int r = user_data_unwrap(bytes, len, &document->text, &document->report);

	if (!r)
		r = yaml_tree_read(buf_string(&document->text), document->text.len, &problems, &tree);
	if (!r) {
		document->values = read_values(tree.root, &document->report);
		if (!document->values)
			r = -ENOMEM;
	}
	if (!r) {
		decode_files(tree.root, document->values, &document->report);
		keep_place_of_time_zone(tree.root, document->values);
		check_contradictions(tree.root, document->values, &document->report);
		check_files(tree.root, document->values, &document->report);
		check_manifests(tree.root, document->values, &document->report);
		check_kubelet_fields(tree.root, &document->report);
		check_not_yet(tree.root, document->values, &document->report);
		check_size(document->values, &document->report);
	}
	yaml_tree_free(&tree);
	return !r && document->report.errors ? -EINVAL : r;
}

void document_free(struct document *document)
{
	buf_free(&document->text);
	json_decref(document->values);
	document->values = NULL;
	report_free(&document->report);
}

const struct yaml_child *yaml_place(const struct yaml_node *node, const char *path)
{
	const struct yaml_child *child = NULL;
	char name[PATH_BYTES];

	while (*path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof name)
			return NULL;
		memcpy(name, path, len);
		name[len] = 0;
		child = yaml_child_of(node, name);
		if (!child)
			return NULL;
		node = child->value;
		path += len + (path[len] == '.');
	}
	return child;
}

const json_t *values_get(const json_t *values, const char *path)
{
	char name[PATH_BYTES];

	while (values && *path) {
		size_t len = strcspn(path, ".");

		if (len >= sizeof name)
			return NULL;
		memcpy(name, path, len);
		name[len] = 0;
		values = json_object_get(values, name);
		path += len + (path[len] == '.');
	}
	return values;
}

const char *values_string(const json_t *values, const char *path)
{
	return json_string_value(values_get(values, path));
}
