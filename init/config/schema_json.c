/* The table of keys as JSON schema (draft-07), with which editors complete and check while a person types.
 *
 * It says less than the node checks (no contradictions, no PEM), and nothing that the node would refuse to confirm.
 */
#include <stdio.h>
#include <string.h>

#include "config/not_yet.h"
#include "config/schema.h"

#define PATH_BYTES 256

static json_t *describe_children(const struct key *parent);

static json_t *choices(const char *words)
{
	json_t *array = json_array();

	while (*words) {
		size_t len = strcspn(words, "|");

		json_array_append_new(array, json_stringn(words, len));
		words += len + (words[len] == '|');
	}
	return array;
}

static void describe_list(const struct key *key, json_t *made)
{
	char path[PATH_BYTES];
	const struct key *entry;

	snprintf(path, sizeof path, "%s[]", key->path);
	entry = schema_find(path);
	if (entry)
		json_object_set_new(made, "items", describe_children(entry));
	if (key->max)
		json_object_set_new(made, "maxItems", json_integer(key->max));
}

static void describe_text(const struct key *key, json_t *made)
{
	const struct type_info *info = &type_infos[key->type];

	/* the words of a choice that YAML readers take for booleans */
	if (key->words && !strncmp(key->words, "true|false|", 11))
		json_object_set_new(made, "type", json_pack("[s, s]", "boolean", "string"));
	else if (key->type == TYPE_LINE || key->type == TYPE_LABEL_VALUE || key->type == TYPE_PERMISSIONS)
		json_object_set_new(made, "type", json_pack("[s, s, s]", "string", "number", "boolean"));
	else if (info->json)
		json_object_set_new(made, "type", json_string(info->json));
	if (key->words && strncmp(key->words, "true|false|", 11))
		json_object_set_new(made, "enum", choices(key->words));
	if (info->pattern)
		json_object_set_new(made, "pattern", json_string(info->pattern));
	if (key->standard && key->type == TYPE_BOOL)
		json_object_set_new(made, "default", json_boolean(!strcmp(key->standard, "true")));
	else if (key->standard && !strchr(key->standard, ' '))
		json_object_set_new(made, "default", json_string(key->standard));
}

static void describe_map(const struct key *key, json_t *made)
{
	json_t *properties = json_object(), *required = json_array(), *any = NULL;
	const char *path = key ? key->path : "";

	for (const struct key *child = schema_keys; child->path; child++) {
		if (!key_is_child(child, path) || (child->flags & KEY_REFUSED))
			continue;
		if (!strcmp(key_name(child), "*")) {
			any = describe_children(child);
			if (type_infos[child->name].pattern)
				json_object_set_new(made, "propertyNames",
						    json_pack("{s:s}", "pattern", type_infos[child->name].pattern));
			continue;
		}
		json_object_set_new(properties, key_name(child), describe_children(child));
		if (child->flags & KEY_REQUIRED)
			json_array_append_new(required, json_string(key_name(child)));
	}
	if (json_object_size(properties))
		json_object_set(made, "properties", properties);
	if (json_array_size(required))
		json_object_set(made, "required", required);
	json_decref(properties);
	json_decref(required);
	json_object_set_new(made, "additionalProperties", any ? any : json_false());
}

/* A key and all below it. */
static json_t *describe_children(const struct key *key)
{
	json_t *made = json_object();

	char note[NOT_YET_NOTE_BYTES];

	not_yet_note(key->path, note, sizeof note);
	json_object_set_new(made, "description", json_sprintf("%s%s", key->help, note));
	if (key->flags & KEY_IGNORED) {
		json_object_set_new(made, "deprecated", json_true());
	} else if (key->type == TYPE_MAP) {
		json_object_set_new(made, "type", json_pack("[s, s]", "object", "null"));
		describe_map(key, made);
	} else if (key->type == TYPE_LIST) {
		json_object_set_new(made, "type", json_pack("[s, s]", "array", "null"));
		describe_list(key, made);
	} else if (key->type != TYPE_FREE) {
		describe_text(key, made);
	}
	return made;
}

json_t *schema_to_json(void)
{
	json_t *made = json_object();

	json_object_set_new(made, "$schema", json_string("http://json-schema.org/draft-07/schema#"));
	json_object_set_new(made, "title", json_string("Keelson user-data (#cloud-config)"));
	json_object_set_new(made, "type", json_pack("[s, s]", "object", "null"));
	describe_map(NULL, made);
	return made;
}
