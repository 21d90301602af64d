/* A document's values as struct node_config: node.json is built with the table's defaults, and loaded. */
#include "config/make_node.h"

#include <errno.h>
#include <string.h>

#include "config/document.h"
#include "config/schema.h"

/* Where a value of node.json comes from. Not in the document: the default of its key, or nothing. */
static const struct {
	const char *group, *name, *path;
} sources[] = {
	{NULL, "role", "keelson.role"},
	{NULL, "on_failure", "keelson.on_failure"},
	{NULL, "registries", "keelson.containerd.registries"},
	{NULL, "sysctls", "keelson.sysctls"},
	{NULL, "modules", "keelson.modules"},
	{NULL, "api", "keelson.api"},
	{NULL, "upgrade", "keelson.upgrade"},
	{NULL, "install", "keelson.install"},
	{NULL, "console_shell", "keelson.console.shell"},
	{"cluster", "name", "keelson.cluster.name"},
	{"cluster", "pod_cidr", "keelson.cluster.pod_cidr"},
	{"cluster", "service_cidr", "keelson.cluster.service_cidr"},
	{"cluster", "dns_domain", "keelson.cluster.dns_domain"},
	{"cluster", "endpoint", "keelson.cluster.endpoint"},
	{"cluster", "network", "keelson.cluster.network.kind"},
	{"cluster", "token", "keelson.cluster.token"},
	{"cluster", "ca_certificate", "keelson.cluster.ca.certificate"},
	{"cluster", "ca_key", "keelson.cluster.ca.key"},
	{"cluster", "cert_sans", "keelson.cluster.api_server.cert_sans"},
	{"cluster", "api_server_args", "keelson.cluster.api_server.extra_args"},
	{"cluster", "controller_manager_args", "keelson.cluster.controller_manager.extra_args"},
	{"cluster", "scheduler_args", "keelson.cluster.scheduler.extra_args"},
	{"cluster", "etcd_args", "keelson.cluster.etcd.extra_args"},
	{"cluster", "etcd_join", "keelson.cluster.etcd.join"},
	{"cluster", "manifests", "keelson.cluster.manifests"},
	{"kubelet", "config", "keelson.kubelet.config"},
	{"kubelet", "labels", "keelson.kubelet.labels"},
	{"kubelet", "taints", "keelson.kubelet.taints"},
	{"ntp", "enabled", "ntp.enabled"},
	{"ntp", "servers", "ntp.servers"},
	{"ntp", "pools", "ntp.pools"},
};

/* The default as a value; NULL where it is said in words ("this node") or there is none. */
static json_t *standard_value(const char *path)
{
	const struct key *key = schema_find(path);

	if (!key || !key->standard || strchr(key->standard, ' '))
		return NULL;
	if (key->type == TYPE_BOOL)
		return json_boolean(!strcmp(key->standard, "true"));
	return json_string(key->standard);
}

/* What the words of defaults mean, and what further keys of the API take. */
static void fill_in(json_t *top)
{
	json_t *cluster = json_object_get(top, "cluster");
	const char *role = json_string_value(json_object_get(top, "role"));
	json_t *api = json_object_get(top, "api");

	if (!json_object_get(cluster, "network"))
		json_object_set_new(cluster, "network",
				    json_string(role && !strcmp(role, "single") ? "bridge" : "vxlan"));
	if (!api) {
		api = json_object();
		json_object_set_new(top, "api", api);
	}
	if (!json_object_get(api, "listen"))
		json_object_set_new(api, "listen", standard_value("keelson.api.listen"));
}

int make_node_config(const json_t *values, const char *instance_id, const char *hostname, const char *source,
		     struct node_config **config, struct err *err)
{
	json_t *top = json_pack("{s:s, s:s, s:s, s:{}, s:{}, s:{}}", "instance_id", instance_id, "hostname", hostname,
				"source", source, "cluster", "kubelet", "ntp");
	int r;

	if (!top)
		return err_set(err, ENOMEM, "node configuration: no memory");
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		const json_t *given = values_get(values, sources[i].path);
		json_t *value = given ? json_deep_copy(given) : standard_value(sources[i].path);

		if (value)
			json_object_set_new(sources[i].group ? json_object_get(top, sources[i].group) : top,
					    sources[i].name, value);
	}
	fill_in(top);
	r = node_config_from_json(top, config, err);
	json_decref(top);
	return r < 0 ? err_wrap(err, r, "node configuration") : 0;
}
