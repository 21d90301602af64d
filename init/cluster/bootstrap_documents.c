/* What kubeadm puts into a new cluster, as far as it depends on the cluster. Pure.
 *
 * Source: kubernetes.io, "kubeadm: Implementation details" (upload-config, bootstrap-token, cluster-info), and
 * "Authenticating with Bootstrap Tokens" for the Secret. What does not depend on the cluster is data:
 * configs/manifests/bootstrap.yaml.
 */
#include <stdio.h>
#include <string.h>

#include "cluster/json_build.h"
#include "cluster/node_bootstrap.h"
#include "cluster/version_table.h"
#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/yaml_write.h"

#define TOKEN_GROUP "system:bootstrappers:kubeadm:default-node-token"

/* A tree as the YAML text inside a ConfigMap. Takes the tree over. */
static json_t *inner_yaml(json_t *tree)
{
	_cleanup_(buf_free) struct buf text = {0};
	json_t *string;

	if (yaml_write(tree, &text) != 0)
		json_out_of_memory();
	string = json_text("%s", buf_string(&text));
	json_decref(tree);
	return string;
}

static json_t *config_map(const char *name, const char *namespace, const char *key, json_t *value)
{
	return json_must(json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:o}}", "apiVersion", "v1", "kind", "ConfigMap",
				   "metadata", "name", name, "namespace", namespace, "data", key, value));
}

static json_t *cluster_info(const struct cluster *cluster, const char *ca_pem)
{
	_cleanup_(buf_free) struct buf ca = {0};
	char server[300];

	cluster_public_server(cluster, server, sizeof server);
	if (base64_encode(ca_pem, strlen(ca_pem), &ca) != 0)
		json_out_of_memory();
	return config_map(
		"cluster-info", "kube-public", "kubeconfig",
		inner_yaml(json_must(json_pack("{s:s, s:[{s:{s:s, s:s}, s:s}], s:[], s:s, s:s, s:{}, s:[]}",
					       "apiVersion", "v1", "clusters", "cluster", "certificate-authority-data",
					       buf_string(&ca), "server", server, "name", "", "contexts",
					       "current-context", "", "kind", "Config", "preferences", "users"))));
}

static const char *kubeadm_api(const struct cluster *cluster)
{
	static const enum version_feature newest_first[] = {KUBEADM_V1BETA4, KUBEADM_V1BETA3};

	for (size_t i = 0; i < sizeof newest_first / sizeof *newest_first; i++)
		if (version_has(&cluster->version, newest_first[i]))
			return version_feature_name(newest_first[i]);
	return version_feature_name(KUBEADM_V1BETA2);
}

static json_t *kubeadm_config(const struct cluster *cluster)
{
	const struct node_config *config = cluster->config;
	char server[300];
	const char *host;

	cluster_public_server(cluster, server, sizeof server);
	host = strstr(server, "://");
	return config_map(
		"kubeadm-config", "kube-system", "ClusterConfiguration",
		inner_yaml(json_must(json_pack(
			"{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:s, s:s}}", "apiVersion", kubeadm_api(cluster),
			"certificatesDir", PKI_DIRECTORY, "clusterName", config->cluster.name, "controlPlaneEndpoint",
			host ? host + 3 : server, "kind", "ClusterConfiguration", "kubernetesVersion",
			cluster->version.text, "networking", "dnsDomain", config->cluster.dns_domain, "podSubnet",
			config->cluster.pod_cidr, "serviceSubnet", config->cluster.service_cidr))));
}

/* What a kubelet of another system is told: nothing of this node's own paths. */
static json_t *kubelet_config(const struct cluster *cluster, const char *name)
{
	json_t *dns = json_object_get(cluster->config->kubelet.config, "clusterDNS");
	json_t *tree = json_must(json_pack(
		"{s:s, s:s, s:{s:{s:b}, s:{s:b}, s:{s:s}}, s:{s:s}, s:s, s:b, s:s}", "apiVersion",
		"kubelet.config.k8s.io/v1beta1", "kind", "KubeletConfiguration", "authentication", "anonymous",
		"enabled", 0, "webhook", "enabled", 1, "x509", "clientCAFile", PKI_DIRECTORY "/ca.crt", "authorization",
		"mode", "Webhook", "clusterDomain", cluster->config->cluster.dns_domain, "rotateCertificates", 1,
		"staticPodPath", MANIFEST_DIRECTORY));

	if (dns)
		json_put(tree, "clusterDNS", json_incref(dns));
	return config_map(name, "kube-system", "kubelet", inner_yaml(tree));
}

/* Joining nodes may read one ConfigMap: a Role and its RoleBinding. */
static void push_reader(json_t *documents, const char *role, const char *map)
{
	json_push(documents, json_pack("{s:s, s:s, s:{s:s, s:s}, s:[{s:[s], s:[s], s:[s], s:[s]}]}", "apiVersion",
				       "rbac.authorization.k8s.io/v1", "kind", "Role", "metadata", "name", role,
				       "namespace", "kube-system", "rules", "apiGroups", "", "resourceNames", map,
				       "resources", "configmaps", "verbs", "get"));
	json_push(documents,
		  json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s, s:s}, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}]}",
			    "apiVersion", "rbac.authorization.k8s.io/v1", "kind", "RoleBinding", "metadata", "name",
			    role, "namespace", "kube-system", "roleRef", "apiGroup", "rbac.authorization.k8s.io",
			    "kind", "Role", "name", role, "subjects", "apiGroup", "rbac.authorization.k8s.io", "kind",
			    "Group", "name", TOKEN_GROUP, "apiGroup", "rbac.authorization.k8s.io", "kind", "Group",
			    "name", "system:nodes"));
}

static json_t *token_secret(const char *token)
{
	const char *dot = strchr(token, '.');
	size_t id = dot ? (size_t)(dot - token) : strlen(token);

	return json_must(json_pack(
		"{s:s, s:s, s:{s:o, s:s}, s:s, s:{s:s, s:s, s:s%, s:s, s:s, s:s}}", "apiVersion", "v1", "kind",
		"Secret", "metadata", "name", json_text("bootstrap-token-%.*s", (int)id, token), "namespace",
		"kube-system", "type", "bootstrap.kubernetes.io/token", "stringData", "auth-extra-groups", TOKEN_GROUP,
		"description", "keelson.cluster.token", "token-id", token, id, "token-secret", dot ? dot + 1 : "",
		"usage-bootstrap-authentication", "true", "usage-bootstrap-signing", "true"));
}

static json_t *cluster_admins(const char *group)
{
	return json_must(json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s, s:s}, s:[{s:s, s:s, s:s}]}", "apiVersion",
				   "rbac.authorization.k8s.io/v1", "kind", "ClusterRoleBinding", "metadata", "name",
				   group, "roleRef", "apiGroup", "rbac.authorization.k8s.io", "kind", "ClusterRole",
				   "name", "cluster-admin", "subjects", "apiGroup", "rbac.authorization.k8s.io", "kind",
				   "Group", "name", group));
}

json_t *bootstrap_documents(const struct cluster *cluster, const char *ca_pem)
{
	json_t *documents = json_must(json_array());
	char map[64] = "kubelet-config", role[80];

	if (version_has(&cluster->version, KUBELET_CONFIG_MAP_VERSIONED))
		snprintf(map, sizeof map, "%s%u", version_feature_name(KUBELET_CONFIG_MAP_VERSIONED),
			 cluster->version.minor);
	snprintf(role, sizeof role, "kubeadm:%s", map);
	if (version_has(&cluster->version, GROUP_CLUSTER_ADMINS))
		json_push(documents, cluster_admins(version_feature_name(GROUP_CLUSTER_ADMINS)));
	json_push(documents, cluster_info(cluster, ca_pem));
	json_push(documents, kubeadm_config(cluster));
	json_push(documents, kubelet_config(cluster, map));
	push_reader(documents, "kubeadm:nodes-kubeadm-config", "kubeadm-config");
	push_reader(documents, role, map);
	if (cluster->config->cluster.token)
		json_push(documents, token_secret(cluster->config->cluster.token));
	return documents;
}
