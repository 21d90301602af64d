/* meta-data of a NoCloud seed: who the machine is.
 *
 * Other keys (public-keys, dsmode, network-interfaces) have nothing to say to a node and are passed over: the file
 * is written by tools, not by people.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/seed.h"
#include "lib/yaml_tree.h"

#define INSTANCE_ID_MAX 128u
#define HOSTNAME_MAX 253u

static void add_problem(void *arg, unsigned line, unsigned column, const char *text)
{
	report_error(arg, line, column, "%s", text);
}

static bool printable(const char *text)
{
	for (; *text; text++)
		if (!isgraph((unsigned char)*text))
			return false;
	return true;
}

static char *read_word(const struct yaml_node *root, const char *key, size_t max, struct report *report)
{
	const struct yaml_child *child = yaml_child_of(root, key);
	const struct yaml_node *value = child ? child->value : NULL;

	if (!value || (value->kind == YAML_TEXT && !*value->text))
		return NULL;
	if (value->kind != YAML_TEXT || strlen(value->text) > max || !printable(value->text)) {
		report_error(report, value->line, value->column, "%s: expected one word of at most %zu characters", key,
			     max);
		return NULL;
	}
	return strdup(value->text);
}

int meta_data_read(const char *text, size_t len, struct meta_data *meta, struct report *report)
{
	struct yaml_problems problems = {add_problem, report};
	struct yaml_tree tree;
	int r = yaml_tree_read(text, len, &problems, &tree);

	if (r < 0)
		return r;
	if (tree.root && tree.root->kind != YAML_MAP && (tree.root->kind != YAML_TEXT || *tree.root->text))
		report_error(report, tree.root->line, tree.root->column, "expected a map (key: value)");
	meta->instance_id = read_word(tree.root, "instance-id", INSTANCE_ID_MAX, report);
	meta->local_hostname = read_word(tree.root, "local-hostname", HOSTNAME_MAX, report);
	if (!meta->local_hostname)
		meta->local_hostname = read_word(tree.root, "hostname", HOSTNAME_MAX, report);
	yaml_tree_free(&tree);
	return report->errors ? -EINVAL : 0;
}

void meta_data_free(struct meta_data *meta)
{
	free(meta->instance_id);
	free(meta->local_hostname);
	*meta = (struct meta_data){0};
}
