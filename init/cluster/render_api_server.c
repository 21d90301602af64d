/* The API server as a static pod.
 *
 * Source: kubeadm's cmd/kubeadm/app/phases/controlplane/manifests.go. Beyond kubeadm: on role `single` the kubelet's
 * serving certificate is checked, since it is ours too, and releases whose fairness between clients costs more than the
 * few clients of one node do without it (--max-requests-inflight still holds). Probes ask 127.0.0.1: the node's address may change.
 */
#include "cluster/arguments.h"
#include "cluster/json_build.h"
#include "cluster/render.h"
#include "cluster/static_pod.h"

static const struct static_mount api_server_mounts[] = {
	{"ca-certs", "/etc/ssl/certs", NULL, "DirectoryOrCreate", false},
	{"k8s-certs", PKI_DIRECTORY, NULL, "Directory", false},
	{NULL, NULL, NULL, NULL, false},
};

static const struct argument api_server_fixed[] = {
	{"allow-privileged", "true"},
	{"authorization-mode", "Node,RBAC"},
	{"client-ca-file", PKI_DIRECTORY "/ca.crt"},
	{"enable-admission-plugins", "NodeRestriction"},
	{"enable-bootstrap-token-auth", "true"},
	{"etcd-cafile", PKI_DIRECTORY "/etcd/ca.crt"},
	{"etcd-certfile", PKI_DIRECTORY "/apiserver-etcd-client.crt"},
	{"etcd-keyfile", PKI_DIRECTORY "/apiserver-etcd-client.key"},
	{"etcd-servers", "https://127.0.0.1:2379"},
	{"kubelet-client-certificate", PKI_DIRECTORY "/apiserver-kubelet-client.crt"},
	{"kubelet-client-key", PKI_DIRECTORY "/apiserver-kubelet-client.key"},
	{"kubelet-preferred-address-types", "InternalIP,ExternalIP,Hostname"},
	{"proxy-client-cert-file", PKI_DIRECTORY "/front-proxy-client.crt"},
	{"proxy-client-key-file", PKI_DIRECTORY "/front-proxy-client.key"},
	{"requestheader-allowed-names", "front-proxy-client"},
	{"requestheader-client-ca-file", PKI_DIRECTORY "/front-proxy-ca.crt"},
	{"requestheader-extra-headers-prefix", "X-Remote-Extra-"},
	{"requestheader-group-headers", "X-Remote-Group"},
	{"requestheader-username-headers", "X-Remote-User"},
	{"service-account-key-file", PKI_DIRECTORY "/sa.pub"},
	{"service-account-signing-key-file", PKI_DIRECTORY "/sa.key"},
	{"tls-cert-file", PKI_DIRECTORY "/apiserver.crt"},
	{"tls-private-key-file", PKI_DIRECTORY "/apiserver.key"},
	{NULL, NULL},
};

static json_t *api_server_command(const struct cluster *cluster)
{
	const struct node_config *config = cluster->config;
	json_t *arguments = json_must(json_object()), *command;

	arguments_add(arguments, api_server_fixed);
	arguments_add_versioned(arguments, &cluster->version, APISERVER_INSECURE_PORT, "0");
	json_put_text(arguments, "advertise-address", "%s", cluster->node_ip);
	json_put_text(arguments, "secure-port", "%d", API_SERVER_PORT);
	json_put_text(arguments, "service-account-issuer", "https://kubernetes.default.svc.%s",
		      config->cluster.dns_domain);
	json_put_text(arguments, "service-cluster-ip-range", "%s", config->cluster.service_cidr);
	if (config->role == ROLE_SINGLE) {
		json_put_text(arguments, "kubelet-certificate-authority", PKI_DIRECTORY "/ca.crt");
		arguments_add_versioned(arguments, &cluster->version, APISERVER_COSTLY_FAIRNESS, "false");
	}
	command = arguments_command("/usr/lib/kubernetes/kube-apiserver", arguments, config->cluster.api_server_args);
	json_decref(arguments);
	return command;
}

json_t *render_api_server(const struct cluster *cluster)
{
	static const struct static_probe live = {"127.0.0.1", "/livez", "HTTPS", API_SERVER_PORT};
	static const struct static_probe ready = {"127.0.0.1", "/readyz", "HTTPS", API_SERVER_PORT};
	struct static_pod pod = {.name = "kube-apiserver", .mounts = api_server_mounts};
	char endpoint[INET6_ADDRSTRLEN + 10];

	address_with_port(cluster->node_ip, API_SERVER_PORT, endpoint, sizeof endpoint);
	pod.annotations = json_must(json_object());
	json_put_text(pod.annotations, "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint", "%s",
		      endpoint);
	pod.command = api_server_command(cluster);
	pod.resources = json_pack("{s:s}", "cpu", "250m");
	pod.security = static_security(-1);
	pod.liveness = static_liveness(&live);
	pod.readiness = static_readiness(&ready);
	pod.startup = static_startup(&live);
	return static_pod_build(cluster, &pod);
}
