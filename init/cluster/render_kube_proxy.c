/* kube-proxy: a static pod and its KubeProxyConfiguration.
 *
 * Source: kubeadm's cmd/kubeadm/app/phases/addons/proxy/manifests.go, where it is a DaemonSet; here a static pod, since
 * a program of the node's own version belongs to the node. iptables and conntrack are those of /usr.
 * Configuration: kubernetes.io, kube-proxy Configuration (v1alpha1), the same in every release of the table.
 */
#include "cluster/json_build.h"
#include "cluster/render.h"
#include "cluster/static_pod.h"

#define KUBE_PROXY_YAML KUBERNETES_DIRECTORY "/kube-proxy.yaml"
#define KUBE_PROXY_CONF KUBERNETES_DIRECTORY "/kube-proxy.conf"

static const struct static_mount kube_proxy_mounts[] = {
	{"config", KUBE_PROXY_YAML, NULL, "File", false},
	{"kubeconfig", KUBE_PROXY_CONF, NULL, "File", false},
	{"lib-modules", "/lib/modules", NULL, "Directory", false},
	{"xtables-lock", "/run/xtables.lock", NULL, "FileOrCreate", true},
	{NULL, NULL, NULL, NULL, false},
};

/* A worker's proxy uses the certificate that the kubelet got. */
static const struct static_mount kube_proxy_worker_mounts[] = {
	{"config", KUBE_PROXY_YAML, NULL, "File", false},
	{"kubeconfig", KUBE_PROXY_CONF, NULL, "File", false},
	{"kubelet-pki", "/var/lib/kubelet/pki", NULL, "DirectoryOrCreate", false},
	{"lib-modules", "/lib/modules", NULL, "Directory", false},
	{"xtables-lock", "/run/xtables.lock", NULL, "FileOrCreate", true},
	{NULL, NULL, NULL, NULL, false},
};

json_t *render_kube_proxy(const struct cluster *cluster)
{
	struct static_pod pod = {.name = "kube-proxy"};
	json_t *tree, *container, *labels;

	pod.mounts = cluster_has_control_plane(cluster) ? kube_proxy_mounts : kube_proxy_worker_mounts;
	pod.command = json_must(json_pack("[s, s]", "/usr/lib/kubernetes/kube-proxy", "--config=" KUBE_PROXY_YAML));
	pod.resources = json_object();
	pod.security = json_pack("{s:b}", "privileged", 1);
	tree = static_pod_build(cluster, &pod);
	container = json_array_get(json_object_get(json_object_get(tree, "spec"), "containers"), 0);
	json_put(container, "env", json_pack("[{s:s, s:s}]", "name", "PATH", "value", "/usr/sbin:/usr/bin:/sbin:/bin"));
	json_object_del(container, "resources");
	labels = json_object_get(json_object_get(tree, "metadata"), "labels");
	json_put_text(labels, "k8s-app", "kube-proxy");
	json_put_text(labels, "tier", "node");
	return tree;
}

json_t *render_kube_proxy_config(const struct cluster *cluster)
{
	const char *any = address_is_ipv6(cluster->node_ip) ? "::" : "0.0.0.0";

	return json_must(json_pack(
		"{s:s, s:s, s:s, s:{s:s}, s:s, s:s, s:s, s:s, s:s}", "apiVersion", "kubeproxy.config.k8s.io/v1alpha1",
		"kind", "KubeProxyConfiguration", "bindAddress", any, "clientConnection", "kubeconfig", KUBE_PROXY_CONF,
		"clusterCIDR", cluster->config->cluster.pod_cidr, "healthzBindAddress",
		address_is_ipv6(cluster->node_ip) ? "[::]:10256" : "0.0.0.0:10256", "hostnameOverride",
		cluster->node_name, "metricsBindAddress", "127.0.0.1:10249", "mode", "iptables"));
}
