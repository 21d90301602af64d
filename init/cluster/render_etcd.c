/* etcd as a static pod: Debian's, from /usr, under a uid of its own.
 *
 * Source: kubeadm's cmd/kubeadm/app/phases/etcd/local.go. On role `single` it is bound to 127.0.0.1 alone: the node
 * stays what it is when DHCP gives it another address, or none. A query that an older etcd does not know is ignored
 * by it; exclude=NOSPACE keeps an etcd that only must be emptied from being restarted for ever.
 */
#include "cluster/arguments.h"
#include "cluster/json_build.h"
#include "cluster/render.h"
#include "cluster/static_pod.h"

#define ETCD_PKI PKI_DIRECTORY "/etcd"

static const struct static_mount etcd_mounts[] = {
	{"etcd-certs", ETCD_PKI, NULL, "Directory", false},
	{"etcd-data", "/var/lib/etcd", NULL, "Directory", true},
	{NULL, NULL, NULL, NULL, false},
};

static const struct argument etcd_fixed[] = {
	{"cert-file", ETCD_PKI "/server.crt"},
	{"client-cert-auth", "true"},
	{"data-dir", "/var/lib/etcd"},
	{"experimental-initial-corrupt-check", "true"},
	{"key-file", ETCD_PKI "/server.key"},
	{"listen-metrics-urls", "http://127.0.0.1:2381"},
	{"peer-cert-file", ETCD_PKI "/peer.crt"},
	{"peer-client-cert-auth", "true"},
	{"peer-key-file", ETCD_PKI "/peer.key"},
	{"peer-trusted-ca-file", ETCD_PKI "/ca.crt"},
	{"snapshot-count", "10000"},
	{"trusted-ca-file", ETCD_PKI "/ca.crt"},
	{NULL, NULL},
};

static void add_urls(const struct cluster *cluster, json_t *arguments)
{
	bool single = cluster->config->role == ROLE_SINGLE;
	const char *address = single ? "127.0.0.1" : cluster->node_ip;
	char client[80], peer[80];

	address_with_port(address, 2379, client, sizeof client);
	address_with_port(address, 2380, peer, sizeof peer);
	json_put_text(arguments, "name", "%s", cluster->node_name);
	json_put_text(arguments, "advertise-client-urls", "https://%s", client);
	json_put_text(arguments, "initial-advertise-peer-urls", "https://%s", peer);
	json_put_text(arguments, "listen-peer-urls", "https://%s", peer);
	json_put_text(arguments, "listen-client-urls", single ? "https://%s" : "https://127.0.0.1:2379,https://%s",
		      client);
	json_put_text(arguments, "initial-cluster", "%s=https://%s", cluster->node_name, peer);
	for (size_t i = 0; i < cluster->config->cluster.etcd_join.count; i++) {
		const char *so_far = json_string_value(json_object_get(arguments, "initial-cluster"));

		json_put_text(arguments, "initial-cluster", "%s,%s", so_far,
			      cluster->config->cluster.etcd_join.items[i]);
		json_put_text(arguments, "initial-cluster-state", "existing");
	}
}

json_t *render_etcd(const struct cluster *cluster)
{
	static const struct static_probe alive = {"127.0.0.1", "/health?exclude=NOSPACE&serializable=true", "HTTP",
						  2381};
	static const struct static_probe serves = {"127.0.0.1", "/health?serializable=false", "HTTP", 2381};
	json_t *arguments = json_must(json_object());
	struct static_pod pod = {.name = "etcd", .mounts = etcd_mounts};
	json_t *tree;

	arguments_add(arguments, etcd_fixed);
	add_urls(cluster, arguments);
	pod.annotations = json_must(json_object());
	json_put_text(pod.annotations, "kubeadm.kubernetes.io/etcd.advertise-client-urls", "%s",
		      json_string_value(json_object_get(arguments, "advertise-client-urls")));
	pod.command = arguments_command("/usr/bin/etcd", arguments, cluster->config->cluster.etcd_args);
	pod.resources = json_pack("{s:s, s:s}", "cpu", "100m", "memory", "100Mi");
	pod.security = static_security(ETCD_UID);
	pod.liveness = static_liveness(&alive);
	pod.startup = static_startup(&serves);
	tree = static_pod_build(cluster, &pod);
	json_decref(arguments);
	return tree;
}
