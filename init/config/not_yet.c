/* What the schema has and this version does not do. Said where it is written, instead of done without.
 *
 * Whoever implements one takes its row away: keys, schema and messages follow.
 */
#include "config/not_yet.h"

#include <stdio.h>
#include <string.h>

#include "config/document.h"

/* holds: one word or two, with which nothing more is asked for than there is; NULL: none but an empty map or list.
 * unsaid: what holds on a role other than single when nothing is said, where that is not there either. */
static const struct {
	const char *path, *holds, *unsaid, *instead;
} rows[] = {
	{"keelson.install.disk", NULL, NULL, "take it out"},
	{"keelson.install.wipe", "false", NULL, "take it out"},
	{"keelson.cluster.network.kind", "bridge|none", "vxlan",
	 "say none and install a CNI, or bridge on a node of role single"},
	{"keelson.cluster.etcd.join", NULL, NULL, "take it out"},
	{"keelson.upgrade.health", NULL, NULL, "take it out"},
	{"keelson.upgrade.certificates", NULL, NULL, "take it out"},
	{"keelson.api.listen", NULL, NULL, "take it out"},
	{"keelson.console.shell", "false", NULL, "take it out"},
	{"keelson.on_failure", "keep", NULL, "take it out"},
};

static bool is_one_of(const char *word, const char *words)
{
	size_t len = strlen(word);

	for (const char *p = words; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
		if (strcspn(p, "|") == len && !strncmp(p, word, len))
			return true;
	return false;
}

/* A value as it stands in `holds`; NULL for what is no word. */
static const char *word_of(const json_t *value)
{
	return json_is_boolean(value) ? (json_is_true(value) ? "true" : "false") : json_string_value(value);
}

static bool asks_for_nothing(const json_t *value, const char *holds)
{
	const char *word = word_of(value);

	return word ? is_one_of(word, holds) : !json_object_size(value) && !json_array_size(value);
}

static void check_unsaid(const struct yaml_node *root, const json_t *values, size_t row, struct report *report)
{
	const struct yaml_child *role_at = yaml_place(root, "keelson.role");
	const char *role = values_string(values, "keelson.role");

	if (!rows[row].unsaid || !role || !strcmp(role, "single"))
		return;
	report_warning(report, role_at->value->line, role_at->value->column,
		       "%s: %s, the default of a %s, is not in this version of Keelson yet; %s", rows[row].path,
		       rows[row].unsaid, role, rows[row].instead);
}

void check_not_yet(const struct yaml_node *root, const json_t *values, struct report *report)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct yaml_child *at = yaml_place(root, rows[i].path);
		const json_t *value = values_get(values, rows[i].path);

		if (!value) {
			/* what is wrong by itself was reported already */
			if (!at || yaml_is_null(at->value))
				check_unsaid(root, values, i, report);
		} else if (!asks_for_nothing(value, rows[i].holds)) {
			report_error(report, at->key->line, at->key->column,
				     "%s: %s%snot in this version of Keelson yet; %s", rows[i].path,
				     rows[i].unsaid ? word_of(value) : "", rows[i].unsaid ? " is " : "",
				     rows[i].instead);
		}
	}
}

void not_yet_note(const char *path, char *note, size_t room)
{
	*note = 0;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *holds = rows[i].holds, *bar = holds ? strchr(holds, '|') : NULL;

		if (strcmp(rows[i].path, path))
			continue;
		if (bar)
			snprintf(note, room, " (in this version only %.*s or %s)", (int)(bar - holds), holds, bar + 1);
		else if (holds)
			snprintf(note, room, " (in this version only %s)", holds);
		else
			snprintf(note, room, " (not in this version yet)");
	}
}
