/* Files that each are right for themselves, but not together, or not on each node. */
#include <string.h>

#include "config/document.h"

/* One file written twice, or a file where another needs a directory. */
static void files_do_not_collide(const struct yaml_child *list, const json_t *files, struct report *report)
{
	for (size_t i = 1; list && i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);
		const char *path = json_string_value(json_object_get(file, "path"));
		const struct yaml_child *at = yaml_child_of(list->value->children[i].value, "path");

		for (size_t j = 0; path && j < i; j++) {
			const char *other = json_string_value(json_object_get(json_array_get(files, j), "path"));
			size_t len = other ? strlen(other) : 0, mine = strlen(path);

			if (!other)
				continue;
			if (!strcmp(path, other) && json_is_true(json_object_get(file, "append")))
				continue;
			if (!strcmp(path, other))
				report_error(report, at->value->line, at->value->column,
					     "write_files[%zu].path: %.200s is written by write_files[%zu] already", i,
					     path, j);
			else if ((mine > len && !strncmp(path, other, len) && path[len] == '/') ||
				 (len > mine && !strncmp(path, other, mine) && other[mine] == '/'))
				report_error(report, at->value->line, at->value->column,
					     "write_files[%zu].path: %.200s and %.200s: one would be a directory of "
					     "the other",
					     i, path, other);
			else
				continue;
			break;
		}
	}
}

/* root and numbers are the same on each node; other names are those that its image has. */
static bool is_on_each_node(const char *name, size_t len)
{
	return (len == 4 && !strncmp(name, "root", 4)) || (len < 10 && strspn(name, "0123456789") >= len);
}

static void owner_is_known(const struct yaml_node *node, const json_t *file, size_t index, struct report *report)
{
	const char *owner = json_string_value(json_object_get(file, "owner"));
	const struct yaml_node *at;
	const char *group;
	size_t user;

	if (!owner)
		return;
	at = yaml_child_of(node, "owner")->value;
	user = strcspn(owner, ":");
	group = owner[user] ? owner + user + 1 : "root";
	if (is_on_each_node(owner, user) && is_on_each_node(group, strlen(group)))
		return;
	report_warning(report, at->line, at->column,
		       "write_files[%zu].owner: a node whose image does not have %s refuses the document; root and "
		       "numbers are known to each",
		       index, owner);
}

/* Services of the node run as users that are in them. */
static void accounts_stay(const struct yaml_node *node, const json_t *file, size_t index, struct report *report)
{
	static const char *const accounts[] = {"/etc/passwd", "/etc/group", "/etc/shadow", "/etc/gshadow"};
	const char *path = json_string_value(json_object_get(file, "path"));
	const struct yaml_node *at;

	for (size_t i = 0; path && i < sizeof accounts / sizeof accounts[0]; i++) {
		if (strcmp(path, accounts[i]) || json_is_true(json_object_get(file, "append")))
			continue;
		at = yaml_child_of(node, "path")->value;
		report_error(report, at->line, at->column,
			     "write_files[%zu].path: expected append: true with %s, which has the users of the node's "
			     "own services",
			     index, path);
	}
}

void check_files(const struct yaml_node *root, const json_t *values, struct report *report)
{
	const struct yaml_child *list = yaml_child_of(root, "write_files");
	const json_t *files = json_object_get(values, "write_files");

	if (!list)
		return;
	files_do_not_collide(list, files, report);
	for (size_t i = 0; i < json_array_size(files); i++) {
		const struct yaml_node *node = list->value->children[i].value;
		const json_t *file = json_array_get(files, i);

		owner_is_known(node, file, i, report);
		accounts_stay(node, file, i, report);
	}
}
