/* Values that are right each for itself but cannot hold together. Reported at the key that comes later in the text,
 * since that is the one a person wrote while the other was there already. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/check_pem.h"
#include "config/document.h"
#include "config/schema.h"

struct checking {
	const struct yaml_node *root;
	const json_t *values;
	struct report *report;
	const char *role;
};

static const struct yaml_node *later(const struct yaml_child *a, const struct yaml_child *b)
{
	if (!a || !b)
		return a ? a->key : b->key;
	if (a->key->line != b->key->line)
		return a->key->line > b->key->line ? a->key : b->key;
	return a->key->column > b->key->column ? a->key : b->key;
}

/* A value, or the default of its key. */
static const char *value_or_default(const struct checking *c, const char *path)
{
	const char *given = values_string(c->values, path);

	return given ? given : schema_default(path);
}

static void split_prefix(const char *text, uint32_t *first, uint32_t *last)
{
	char host[INET_ADDRSTRLEN] = "";
	struct in_addr address = {0};
	unsigned bits = (unsigned)atoi(strchr(text, '/') + 1);

	snprintf(host, sizeof host, "%.*s", (int)strcspn(text, "/"), text);
	inet_pton(AF_INET, host, &address);
	*first = ntohl(address.s_addr);
	*last = *first | (bits < 32 ? UINT32_MAX >> bits : 0);
}

static void prefixes_overlap(const struct checking *c)
{
	static const char pods[] = "keelson.cluster.pod_cidr", services[] = "keelson.cluster.service_cidr";
	const struct yaml_child *pods_at = yaml_place(c->root, pods), *services_at = yaml_place(c->root, services);
	const char *pod_cidr = value_or_default(c, pods), *service_cidr = value_or_default(c, services);
	uint32_t a, b, x, y;
	const struct yaml_node *at;
	bool at_pods;

	/* one that is wrong by itself was reported already */
	if ((!pods_at && !services_at) || (pods_at && !values_string(c->values, pods)) ||
	    (services_at && !values_string(c->values, services)))
		return;
	split_prefix(pod_cidr, &a, &b);
	split_prefix(service_cidr, &x, &y);
	if (b < x || y < a)
		return;
	at = later(pods_at, services_at);
	at_pods = pods_at && at == pods_at->key;
	report_error(c->report, at->line, at->column, "%s: %s overlaps %s, which is %s%s", at_pods ? pods : services,
		     at_pods ? pod_cidr : service_cidr, at_pods ? services : pods, at_pods ? service_cidr : pod_cidr,
		     (at_pods ? services_at : pods_at) ? "" : " by default");
}

/* A key that a role cannot have, or must have. */
static const struct {
	const char *role, *path;
	bool needed;
	const char *why;
} rules[] = {
	{"worker", "keelson.cluster.token", true, "to join"},
	{"worker", "keelson.cluster.endpoint", true, "to join"},
	{"worker", "keelson.cluster.ca.certificate", true, "to know the API server when it joins"},
	{"worker", "keelson.cluster.ca.key", false, "the key stays on control planes"},
	{"worker", "keelson.cluster.api_server", false, "it runs on control planes"},
	{"worker", "keelson.cluster.controller_manager", false, "it runs on control planes"},
	{"worker", "keelson.cluster.scheduler", false, "it runs on control planes"},
	{"worker", "keelson.cluster.etcd", false, "it runs on control planes"},
	{"worker", "keelson.cluster.manifests", false, "control planes apply them"},
	{"single", "keelson.cluster.ca", false, "the authority is made on the node"},
	{"single", "keelson.cluster.etcd.join", false, "it has the only member"},
};

static void role_fits(const struct checking *c)
{
	const struct yaml_child *role_at = yaml_place(c->root, "keelson.role");

	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
		const struct yaml_child *at = yaml_place(c->root, rules[i].path);
		const struct yaml_node *there;

		if (strcmp(rules[i].role, c->role) || (at != NULL) == rules[i].needed)
			continue;
		if (rules[i].needed) {
			if (role_at) /* by default nothing is needed */
				report_error(c->report, role_at->value->line, role_at->value->column,
					     "keelson.role: a %s needs %s %s", c->role, rules[i].path, rules[i].why);
			continue;
		}
		if (!values_get(c->values, rules[i].path))
			continue;
		there = later(at, role_at);
		report_error(c->report, there->line, there->column, "%s: not with role %s%s: %s", rules[i].path,
			     c->role, role_at ? "" : " (the default)", rules[i].why);
	}
}

static void authority_is_whole(const struct checking *c)
{
	const struct yaml_child *certificate_at = yaml_place(c->root, "keelson.cluster.ca.certificate");
	const struct yaml_child *key_at = yaml_place(c->root, "keelson.cluster.ca.key");
	const char *certificate = values_string(c->values, "keelson.cluster.ca.certificate");
	const char *key = values_string(c->values, "keelson.cluster.ca.key");

	if (!strcmp(c->role, "single"))
		return;
	if (key && !certificate_at)
		report_error(c->report, key_at->key->line, key_at->key->column,
			     "keelson.cluster.ca.key: expected keelson.cluster.ca.certificate with it");
	if (certificate && !key_at && !strcmp(c->role, "control-plane"))
		report_error(
			c->report, certificate_at->key->line, certificate_at->key->column,
			"keelson.cluster.ca.certificate: expected keelson.cluster.ca.key with it on a control plane");
	if (certificate && key && !pem_key_matches(certificate, key)) {
		const struct yaml_node *at = later(certificate_at, key_at);

		report_error(c->report, at->line, at->column,
			     "keelson.cluster.ca: certificate and key do not belong together");
	}
}

static void bridge_is_one_node(const struct checking *c)
{
	const struct yaml_child *kind_at = yaml_place(c->root, "keelson.cluster.network.kind");
	const char *kind = values_string(c->values, "keelson.cluster.network.kind");
	const struct yaml_node *at;

	if (!kind || strcmp(kind, "bridge") || !strcmp(c->role, "single"))
		return;
	at = later(kind_at, yaml_place(c->root, "keelson.role"));
	report_error(c->report, at->line, at->column,
		     "keelson.cluster.network.kind: bridge connects the pods of one node, "
		     "not those of a %s",
		     c->role);
}

static void time_is_asked_or_not(const struct checking *c)
{
	static const char *const lists[] = {"ntp.servers", "ntp.pools"};

	if (!json_is_false(values_get(c->values, "ntp.enabled")))
		return;
	for (size_t i = 0; i < 2; i++) {
		const struct yaml_node *at;

		if (!json_array_size(values_get(c->values, lists[i])))
			continue;
		at = later(yaml_place(c->root, "ntp.enabled"), yaml_place(c->root, lists[i]));
		report_error(c->report, at->line, at->column, "ntp: enabled is false, but %s are given", lists[i]);
	}
}

static void name_fits(const struct checking *c)
{
	const struct yaml_child *prefer_at = yaml_place(c->root, "prefer_fqdn_over_hostname");
	const struct yaml_child *fqdn_at = yaml_place(c->root, "fqdn");
	const char *fqdn = values_string(c->values, "fqdn");
	const struct yaml_node *at;

	if (!json_is_true(values_get(c->values, "prefer_fqdn_over_hostname")) || (fqdn && strlen(fqdn) <= 63))
		return;
	if (!fqdn && fqdn_at)
		return;
	at = later(prefer_at, fqdn_at);
	report_error(c->report, at->line, at->column,
		     "prefer_fqdn_over_hostname: expected fqdn of at most 63 letters, found %s",
		     fqdn ? "a longer one" : "none");
}

static void manifests_are_one_thing(const struct checking *c)
{
	const struct yaml_child *list = yaml_place(c->root, "keelson.cluster.manifests");
	const json_t *manifests = values_get(c->values, "keelson.cluster.manifests");

	for (size_t i = 0; list && i < json_array_size(manifests); i++) {
		const json_t *manifest = json_array_get(manifests, i);
		const struct yaml_node *at = list->value->children[i].value;

		if (json_is_object(manifest) && at->count && !yaml_child_of(at, "url") == !yaml_child_of(at, "content"))
			report_error(c->report, at->line, at->column,
				     "keelson.cluster.manifests[%zu]: expected either url or content", i);
		else if (json_is_object(manifest) && !at->count)
			report_error(c->report, at->line, at->column,
				     "keelson.cluster.manifests[%zu]: expected url or content", i);
	}
}

/* "KEY=VALUE:EFFECT" without its value: what there can be only one of. */
static bool same_taint(const char *a, const char *b)
{
	size_t key = strcspn(a, "=:");

	return key == strcspn(b, "=:") && !strncmp(a, b, key) && !strcmp(strrchr(a, ':'), strrchr(b, ':'));
}

/* The kubelet ends at once when it is given two ("duplicated taints with the same key and effect"). */
static void taints_differ(const struct checking *c)
{
	const struct yaml_child *list = yaml_place(c->root, "keelson.kubelet.taints");
	const json_t *taints = values_get(c->values, "keelson.kubelet.taints");

	for (size_t i = 1; list && i < json_array_size(taints); i++) {
		const char *taint = json_string_value(json_array_get(taints, i));
		const struct yaml_node *at = list->value->children[i].value;

		for (size_t j = 0; taint && j < i; j++) {
			const char *other = json_string_value(json_array_get(taints, j));

			if (!other || !same_taint(taint, other))
				continue;
			report_error(
				c->report, at->line, at->column,
				"keelson.kubelet.taints[%zu]: expected a key and effect of its own, found those of "
				"keelson.kubelet.taints[%zu], %.200s",
				i, j, other);
			break;
		}
	}
}

/* With another kind or version the kubelet ends at once: "no kind … is registered". */
static void kubelet_config_is_one(const struct checking *c)
{
	static const struct {
		const char *path, *value;
	} fixed[] = {
		{"keelson.kubelet.config.apiVersion", "kubelet.config.k8s.io/v1beta1"},
		{"keelson.kubelet.config.kind", "KubeletConfiguration"},
	};

	for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) {
		const struct yaml_child *at = yaml_place(c->root, fixed[i].path);
		const char *value = values_string(c->values, fixed[i].path);

		if (at && (!value || strcmp(value, fixed[i].value)))
			report_error(c->report, at->value->line, at->value->column, "%s: expected %s, found %s%.60s%s",
				     fixed[i].path, fixed[i].value, value ? "\"" : "", value ? value : "something else",
				     value ? "\"" : "");
	}
}

/* They are arguments of the kubelet, which come from one line of a file. */
#define KUBELET_WORDS_MAX ((size_t)6000)

static void labels_and_taints_fit(const struct checking *c)
{
	static const char labels[] = "keelson.kubelet.labels", taints[] = "keelson.kubelet.taints";
	const struct yaml_child *labels_at = yaml_place(c->root, labels), *taints_at = yaml_place(c->root, taints);
	const struct yaml_node *at;
	const char *key;
	json_t *value;
	size_t size = 0, i;

	if (!labels_at && !taints_at)
		return;
	json_object_foreach ((json_t *)(uintptr_t)values_get(c->values, labels), key, value)
		size += strlen(key) + json_string_length(value) + 2;
	json_array_foreach (values_get(c->values, taints), i, value)
		size += json_string_length(value) + 1;
	if (size <= KUBELET_WORDS_MAX)
		return;
	at = later(labels_at, taints_at);
	report_error(c->report, at->line, at->column, "%s and taints: expected at most %zu bytes together, found %zu",
		     labels, KUBELET_WORDS_MAX, size);
}

void check_contradictions(const struct yaml_node *root, const json_t *values, struct report *report)
{
	struct checking c = {root, values, report, values_string(values, "keelson.role")};

	/* a role that is wrong is not taken for another */
	if (!c.role && !yaml_place(root, "keelson.role"))
		c.role = schema_default("keelson.role");
	if (!c.role)
		c.role = "";
	prefixes_overlap(&c);
	role_fits(&c);
	if (*c.role) {
		authority_is_whole(&c);
		bridge_is_one_node(&c);
	}
	time_is_asked_or_not(&c);
	name_fits(&c);
	manifests_are_one_thing(&c);
	taints_differ(&c);
	kubelet_config_is_one(&c);
	labels_and_taints_fit(&c);
}
