/* struct node_config to /run/keelson/node.json and back.
 *
 * One table says where each field lies in the file and in the struct; saving, loading and freeing walk it.
 */
#include "config/node_config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define NODE_CONFIG_MAX_BYTES ((size_t)4 << 20)

enum field_kind { FIELD_STRING, FIELD_NAME, FIELD_LIST, FIELD_OBJECT, FIELD_ARRAY, FIELD_BOOL, FIELD_CHOICE };

struct field {
	const char *group; /* the object it lies in; NULL: the top */
	const char *name;
	enum field_kind kind; /* FIELD_NAME: a string that must be there */
	size_t offset;
	const char *const *choices; /* FIELD_CHOICE: the words, in the order of the enum */
};

static const char *const roles[] = {"single", "control-plane", "worker", NULL};
static const char *const pod_networks[] = {"vxlan", "routes", "bridge", "none", NULL};
static const char *const on_failures[] = {"keep", "revert", NULL};

#define AT(member) offsetof(struct node_config, member)

static const struct field fields[] = {
	{NULL, "instance_id", FIELD_NAME, AT(instance_id), NULL},
	{NULL, "hostname", FIELD_NAME, AT(hostname), NULL},
	{NULL, "source", FIELD_NAME, AT(source), NULL},
	{NULL, "role", FIELD_CHOICE, AT(role), roles},
	{"cluster", "name", FIELD_NAME, AT(cluster.name), NULL},
	{"cluster", "endpoint", FIELD_STRING, AT(cluster.endpoint), NULL},
	{"cluster", "pod_cidr", FIELD_NAME, AT(cluster.pod_cidr), NULL},
	{"cluster", "service_cidr", FIELD_NAME, AT(cluster.service_cidr), NULL},
	{"cluster", "dns_domain", FIELD_NAME, AT(cluster.dns_domain), NULL},
	{"cluster", "network", FIELD_CHOICE, AT(cluster.network), pod_networks},
	{"cluster", "token", FIELD_STRING, AT(cluster.token), NULL},
	{"cluster", "ca_certificate", FIELD_STRING, AT(cluster.ca_certificate), NULL},
	{"cluster", "ca_key", FIELD_STRING, AT(cluster.ca_key), NULL},
	{"cluster", "cert_sans", FIELD_LIST, AT(cluster.cert_sans), NULL},
	{"cluster", "api_server_args", FIELD_OBJECT, AT(cluster.api_server_args), NULL},
	{"cluster", "controller_manager_args", FIELD_OBJECT, AT(cluster.controller_manager_args), NULL},
	{"cluster", "scheduler_args", FIELD_OBJECT, AT(cluster.scheduler_args), NULL},
	{"cluster", "etcd_args", FIELD_OBJECT, AT(cluster.etcd_args), NULL},
	{"cluster", "etcd_join", FIELD_LIST, AT(cluster.etcd_join), NULL},
	{"cluster", "manifests", FIELD_ARRAY, AT(cluster.manifests), NULL},
	{"kubelet", "config", FIELD_OBJECT, AT(kubelet.config), NULL},
	{"kubelet", "labels", FIELD_OBJECT, AT(kubelet.labels), NULL},
	{"kubelet", "taints", FIELD_LIST, AT(kubelet.taints), NULL},
	{NULL, "registries", FIELD_OBJECT, AT(registries), NULL},
	{NULL, "sysctls", FIELD_OBJECT, AT(sysctls), NULL},
	{NULL, "modules", FIELD_ARRAY, AT(modules), NULL},
	{"ntp", "enabled", FIELD_BOOL, AT(ntp.enabled), NULL},
	{"ntp", "servers", FIELD_LIST, AT(ntp.servers), NULL},
	{"ntp", "pools", FIELD_LIST, AT(ntp.pools), NULL},
	{NULL, "api", FIELD_OBJECT, AT(api), NULL},
	{NULL, "upgrade", FIELD_OBJECT, AT(upgrade), NULL},
	{NULL, "install", FIELD_OBJECT, AT(install), NULL},
	{NULL, "console_shell", FIELD_BOOL, AT(console_shell), NULL},
	{NULL, "on_failure", FIELD_CHOICE, AT(on_failure), on_failures},
};

#define FIELD_COUNT (sizeof fields / sizeof fields[0])

const char *role_name(enum role role)
{
	return roles[role];
}

static void *field_at(const struct node_config *config, const struct field *field)
{
	return (char *)(uintptr_t)config + field->offset;
}

static void free_list(struct string_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct string_list){0};
}

static void free_field(struct node_config *config, const struct field *field)
{
	void *at = field_at(config, field);

	switch (field->kind) {
	case FIELD_STRING:
	case FIELD_NAME:
		free(*(char **)at);
		break;
	case FIELD_LIST:
		free_list(at);
		break;
	case FIELD_OBJECT:
	case FIELD_ARRAY:
		json_decref(*(json_t **)at);
		break;
	case FIELD_BOOL:
	case FIELD_CHOICE:
		break;
	}
}

void node_config_free(struct node_config *config)
{
	if (!config)
		return;
	for (size_t i = 0; i < FIELD_COUNT; i++)
		free_field(config, &fields[i]);
	free(config);
}

void node_config_freep(struct node_config **config)
{
	node_config_free(*config);
	*config = NULL;
}

static json_t *list_to_json(const struct string_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(array, json_string(list->items[i]));
	return array;
}

/* A field as JSON; NULL: leave it out. */
static json_t *field_to_json(const struct node_config *config, const struct field *field)
{
	void *at = field_at(config, field);

	switch (field->kind) {
	case FIELD_STRING:
	case FIELD_NAME:
		return *(char **)at ? json_string(*(char **)at) : NULL;
	case FIELD_LIST:
		return list_to_json(at);
	case FIELD_OBJECT:
	case FIELD_ARRAY:
		return json_incref(*(json_t **)at);
	case FIELD_BOOL:
		return json_boolean(*(bool *)at);
	case FIELD_CHOICE:
		return json_string(field->choices[*(unsigned *)at]);
	}
	return NULL;
}

int node_config_save(const char *path, const struct node_config *config, struct err *err)
{
	json_t *top = json_object();
	_cleanup_free_ char *text = NULL;
	int r;

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		json_t *group = fields[i].group ? json_object_get(top, fields[i].group) : top;
		json_t *value = field_to_json(config, &fields[i]);

		if (!group) {
			group = json_object();
			json_object_set_new(top, fields[i].group, group);
		}
		if (value)
			json_object_set_new(group, fields[i].name, value);
	}
	text = json_dumps(top, JSON_INDENT(2));
	json_decref(top);
	if (!text)
		return err_set(err, ENOMEM, "write %s: no memory", path);
	r = file_write_atomic(path, text, strlen(text), 0600, err);
	explicit_bzero(text, strlen(text));
	return r;
}

static int list_from_json(const json_t *array, struct string_list *list)
{
	size_t count = json_array_size(array);

	if (!count)
		return 0;
	list->items = calloc(count, sizeof *list->items);
	if (!list->items)
		return -ENOMEM;
	for (; list->count < count; list->count++) {
		const char *item = json_string_value(json_array_get(array, list->count));

		if (!item)
			return -EINVAL;
		list->items[list->count] = strdup(item);
		if (!list->items[list->count])
			return -ENOMEM;
	}
	return 0;
}

static int choice_from_json(const json_t *value, const char *const *choices, unsigned *choice)
{
	const char *word = json_string_value(value);

	for (unsigned i = 0; word && choices[i]; i++) {
		if (!strcmp(choices[i], word)) {
			*choice = i;
			return 0;
		}
	}
	return -EINVAL;
}

/* value is NULL where the file does not have the field. Returns 0, -EINVAL or -ENOMEM. */
static int field_from_json(struct node_config *config, const struct field *field, json_t *value)
{
	void *at = field_at(config, field);

	switch (field->kind) {
	case FIELD_STRING:
	case FIELD_NAME:
		if (!value)
			return field->kind == FIELD_NAME ? -EINVAL : 0;
		if (!json_is_string(value))
			return -EINVAL;
		*(char **)at = strdup(json_string_value(value));
		return *(char **)at ? 0 : -ENOMEM;
	case FIELD_LIST:
		return value && !json_is_array(value) ? -EINVAL : list_from_json(value, at);
	case FIELD_OBJECT:
		if (value && !json_is_object(value))
			return -EINVAL;
		*(json_t **)at = value ? json_incref(value) : json_object();
		return 0;
	case FIELD_ARRAY:
		if (value && !json_is_array(value))
			return -EINVAL;
		*(json_t **)at = value ? json_incref(value) : json_array();
		return 0;
	case FIELD_BOOL:
		*(bool *)at = json_is_true(value);
		return value && !json_is_boolean(value) ? -EINVAL : 0;
	case FIELD_CHOICE:
		return choice_from_json(value, field->choices, at);
	}
	return -EINVAL;
}

static const char *expected(const struct field *field)
{
	static const char *const words[] = {
		[FIELD_STRING] = "a string",	 [FIELD_NAME] = "a string",  [FIELD_LIST] = "an array of strings",
		[FIELD_OBJECT] = "an object",	 [FIELD_ARRAY] = "an array", [FIELD_BOOL] = "true or false",
		[FIELD_CHOICE] = "a known word",
	};

	return words[field->kind];
}

int node_config_from_json(const json_t *top, struct node_config **config, struct err *err)
{
	_cleanup_(node_config_freep) struct node_config *made = calloc(1, sizeof *made);

	if (!made)
		return err_set(err, ENOMEM, "no memory");
	for (size_t i = 0; i < FIELD_COUNT; i++) {
		const struct field *f = &fields[i];
		const json_t *group = f->group ? json_object_get(top, f->group) : top;
		int r = field_from_json(made, f, json_object_get(group, f->name));

		if (r < 0)
			return err_set(err, -r, "%s%s%s: expected %s", f->group ? f->group : "", f->group ? "." : "",
				       f->name, expected(f));
	}
	*config = take_pointer(made);
	return 0;
}

int node_config_load(const char *path, struct node_config **config, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	json_error_t where;
	json_t *top;
	int r = file_read(path, NODE_CONFIG_MAX_BYTES, &text, err);

	if (r < 0)
		return r;
	top = json_loadb(text.data, text.len, JSON_REJECT_DUPLICATES, &where);
	if (!top)
		return err_set(err, EINVAL, "%s:%d:%d: %s", path, where.line, where.column, where.text);
	r = node_config_from_json(top, config, err);
	json_decref(top);
	return r < 0 ? err_wrap(err, r, "%s", path) : 0;
}
