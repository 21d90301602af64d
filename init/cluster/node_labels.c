/* Labels and taints of the Node.
 *
 * Source: KEP-279 and the kubelet's own check (pkg/kubelet/apis/well_known_labels.go, NodeRestriction): of the
 * kubernetes.io and k8s.io domains a kubelet may set only those under kubelet. and node. and a few by name.
 */
#include "cluster/node_labels.h"

#include <string.h>

#include "cluster/json_build.h"
#include "cluster/version_table.h"

static bool ends_with_domain(const char *prefix, size_t len, const char *domain)
{
	size_t want = strlen(domain);

	if (len < want || strncmp(prefix + len - want, domain, want))
		return false;
	return len == want || prefix[len - want - 1] == '.';
}

bool node_label_is_kubelets(const char *key)
{
	static const char *const allowed[] = {"kubernetes.io/hostname",
					      "kubernetes.io/os",
					      "kubernetes.io/arch",
					      "beta.kubernetes.io/os",
					      "beta.kubernetes.io/arch",
					      "beta.kubernetes.io/instance-type",
					      "node.kubernetes.io/instance-type",
					      "topology.kubernetes.io/zone",
					      "topology.kubernetes.io/region",
					      "failure-domain.beta.kubernetes.io/zone",
					      "failure-domain.beta.kubernetes.io/region",
					      NULL};
	const char *slash = strchr(key, '/');
	size_t len = slash ? (size_t)(slash - key) : 0;

	for (const char *const *name = allowed; *name; name++)
		if (!strcmp(key, *name))
			return true;
	if (!slash || (!ends_with_domain(key, len, "kubernetes.io") && !ends_with_domain(key, len, "k8s.io")))
		return true;
	return ends_with_domain(key, len, "kubelet.kubernetes.io") || ends_with_domain(key, len, "node.kubernetes.io");
}

int node_labels_flag(const struct cluster *cluster, struct buf *flag)
{
	const char *key;
	json_t *value;
	int r = 0;

	json_object_foreach (cluster->config->kubelet.labels, key, value)
		if (!r && node_label_is_kubelets(key))
			r = buf_addf(flag, "%s%s=%s", flag->len ? "," : "", key, json_string_value(value));
	return r;
}

json_t *node_labels_patch(const struct cluster *cluster)
{
	json_t *labels = json_must(json_object());
	const char *key;
	json_t *value;

	if (cluster_has_control_plane(cluster)) {
		json_put_text(labels, "node-role.kubernetes.io/control-plane", "%s", "");
		if (version_has(&cluster->version, LABEL_MASTER))
			json_put_text(labels, version_feature_name(LABEL_MASTER), "%s", "");
	}
	/* A single node carries what balancers must reach; only a dedicated control plane is kept out of them. */
	if (cluster->config->role == ROLE_CONTROL_PLANE && version_has(&cluster->version, LABEL_EXCLUDE_BALANCERS))
		json_put_text(labels, version_feature_name(LABEL_EXCLUDE_BALANCERS), "%s", "");
	json_object_foreach (cluster->config->kubelet.labels, key, value)
		if (!node_label_is_kubelets(key))
			json_put(labels, key, json_incref(value));
	return json_must(json_pack("{s:{s:o}}", "metadata", "labels", labels));
}

static void push_taint(json_t *taints, const char *key, size_t key_len, const char *value, size_t value_len,
		       const char *effect)
{
	json_t *taint = json_must(json_pack("{s:s%}", "key", key, key_len));

	if (value_len)
		json_put(taint, "value", json_stringn(value, value_len));
	json_put_text(taint, "effect", "%s", effect);
	json_push(taints, taint);
}

json_t *node_taints(const struct cluster *cluster)
{
	static const enum version_feature of_role[] = {TAINT_MASTER, TAINT_CONTROL_PLANE};
	const struct string_list *given = &cluster->config->kubelet.taints;
	json_t *taints = json_must(json_array());

	for (size_t i = 0; cluster->config->role == ROLE_CONTROL_PLANE && i < 2; i++)
		if (version_has(&cluster->version, of_role[i])) {
			const char *name = version_feature_name(of_role[i]);

			push_taint(taints, name, strlen(name), NULL, 0, "NoSchedule");
		}
	for (size_t i = 0; i < given->count; i++) {
		const char *text = given->items[i], *colon = strrchr(text, ':'), *equals;

		if (!colon)
			continue; /* the configuration's check refuses it */
		equals = memchr(text, '=', (size_t)(colon - text));
		if (equals)
			push_taint(taints, text, (size_t)(equals - text), equals + 1, (size_t)(colon - equals - 1),
				   colon + 1);
		else
			push_taint(taints, text, (size_t)(colon - text), NULL, 0, colon + 1);
	}
	return taints;
}

int node_taints_flag(const struct cluster *cluster, struct buf *flag)
{
	json_t *taints = node_taints(cluster), *taint;
	size_t i;
	int r = 0;

	json_array_foreach (taints, i, taint) {
		const char *value = json_string_value(json_object_get(taint, "value"));

		if (!r)
			r = buf_addf(flag, "%s%s=%s:%s", i ? "," : "", json_string_value(json_object_get(taint, "key")),
				     value ? value : "", json_string_value(json_object_get(taint, "effect")));
	}
	json_decref(taints);
	return r;
}
