/* Which certificates a node has, with which names.
 *
 * Source: kubernetes.io, "PKI certificates and requirements" and kubeadm's cmd/kubeadm/app/phases/certs/certlist.go:
 * files, common names, organisations, usages and the alternative names of the servers.
 */
#include "cluster/pki_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/version_table.h"

enum leaf_names { NO_NAMES, APISERVER_NAMES, ETCD_NAMES, NODE_NAMES };
enum leaf_group { NO_GROUP, MASTERS, CLUSTER_ADMINS, NODES };

struct pki_leaf_row {
	const char *path, *common_name; /* common_name NULL: the node's name */
	enum pki_authority authority;
	enum leaf_group group;
	enum leaf_names names;
	bool server, client, etcd_reads;
};

const struct pki_authority_row pki_authorities[PKI_AUTHORITIES] = {
	[CLUSTER_CA] = {"ca", "kubernetes"},
	[ETCD_CA] = {"etcd/ca", "etcd-ca"},
	[FRONT_PROXY_CA] = {"front-proxy-ca", "front-proxy-ca"},
};

static const struct pki_leaf_row leaf_rows[PKI_LEAVES] = {
	[LEAF_APISERVER] = {"apiserver", "kube-apiserver", CLUSTER_CA, NO_GROUP, APISERVER_NAMES, .server = true},
	[LEAF_APISERVER_KUBELET_CLIENT] = {"apiserver-kubelet-client", "kube-apiserver-kubelet-client", CLUSTER_CA,
					   CLUSTER_ADMINS, NO_NAMES, .client = true},
	[LEAF_APISERVER_ETCD_CLIENT] = {"apiserver-etcd-client", "kube-apiserver-etcd-client", ETCD_CA, MASTERS,
					NO_NAMES, .client = true},
	[LEAF_ETCD_SERVER] = {"etcd/server", NULL, ETCD_CA, NO_GROUP, ETCD_NAMES, .server = true, .client = true,
			      .etcd_reads = true},
	[LEAF_ETCD_PEER] = {"etcd/peer", NULL, ETCD_CA, NO_GROUP, ETCD_NAMES, .server = true, .client = true,
			    .etcd_reads = true},
	[LEAF_ETCD_HEALTHCHECK_CLIENT] = {"etcd/healthcheck-client", "kube-etcd-healthcheck-client", ETCD_CA, MASTERS,
					  NO_NAMES, .client = true},
	[LEAF_FRONT_PROXY_CLIENT] = {"front-proxy-client", "front-proxy-client", FRONT_PROXY_CA, NO_GROUP, NO_NAMES,
				     .client = true},
	[LEAF_KUBELET_SERVER] = {"kubelet", NULL, CLUSTER_CA, NO_GROUP, NODE_NAMES, .server = true},
	[LEAF_KUBELET_CLIENT] = {"kubelet-client", "system:node:%s", CLUSTER_CA, NODES, NO_NAMES, .client = true},
	[LEAF_ADMIN] = {"admin", "kubernetes-admin", CLUSTER_CA, CLUSTER_ADMINS, NO_NAMES, .client = true},
	[LEAF_SUPER_ADMIN] = {"super-admin", "kubernetes-super-admin", CLUSTER_CA, MASTERS, NO_NAMES, .client = true},
	[LEAF_CONTROLLER_MANAGER] = {"controller-manager", "system:kube-controller-manager", CLUSTER_CA, NO_GROUP,
				     NO_NAMES, .client = true},
	[LEAF_SCHEDULER] = {"scheduler", "system:kube-scheduler", CLUSTER_CA, NO_GROUP, NO_NAMES, .client = true},
	[LEAF_KUBE_PROXY] = {"kube-proxy", "system:kube-proxy", CLUSTER_CA, NO_GROUP, NO_NAMES, .client = true},
	/* The node step's own: it makes the very binding that gives kubeadm:cluster-admins its rights. */
	[LEAF_KEELSON] = {"keelson", "keelson", CLUSTER_CA, MASTERS, NO_NAMES, .client = true},
};

bool pki_leaf_wanted(const struct cluster *cluster, enum pki_leaf leaf)
{
	if (!cluster_has_control_plane(cluster))
		return false; /* a worker has no CA key: the kubelet gets its certificate by the bootstrap token */
	if (leaf == LEAF_SUPER_ADMIN)
		return version_has(&cluster->version, GROUP_CLUSTER_ADMINS);
	return true;
}

static const char *group_name(const struct cluster *cluster, enum leaf_group group)
{
	switch (group) {
	case MASTERS:
		return "system:masters";
	case NODES:
		return "system:nodes";
	case CLUSTER_ADMINS:
		return version_has(&cluster->version, GROUP_CLUSTER_ADMINS) ? version_feature_name(GROUP_CLUSTER_ADMINS)
									    : "system:masters";
	default:
		return NULL;
	}
}

static int add_name(const char **names, const char *name)
{
	for (size_t i = 0; i < PKI_NAMES - 1; i++) {
		if (!names[i]) {
			names[i] = name;
			return 0;
		}
		if (!strcmp(names[i], name))
			return 0;
	}
	return -E2BIG;
}

static int add_dns_or_address(struct pki_leaf_plan *plan, const char *name)
{
	unsigned char bytes[16];
	bool address = inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;

	return add_name(address ? plan->addresses : plan->dns_names, name);
}

/* The host of "https://api.example.org:6443", without brackets, into host. */
static const char *endpoint_host(const char *endpoint, char *host, size_t size)
{
	const char *start = strstr(endpoint, "://");
	size_t len;

	start = start ? start + 3 : endpoint;
	if (*start == '[') {
		start++;
		len = strcspn(start, "]");
	} else {
		len = strcspn(start, ":/");
	}
	snprintf(host, size, "%.*s", (int)len, start);
	return host;
}

static int add_apiserver_names(const struct cluster *cluster, struct pki_leaf_plan *plan)
{
	const struct node_config *config = cluster->config;
	const char *endpoint = config->cluster.endpoint;
	int r = 0;

	snprintf(plan->text[0], sizeof plan->text[0], "kubernetes.default.svc.%s", config->cluster.dns_domain);
	r |= add_name(plan->dns_names, "kubernetes");
	r |= add_name(plan->dns_names, "kubernetes.default");
	r |= add_name(plan->dns_names, "kubernetes.default.svc");
	r |= add_name(plan->dns_names, plan->text[0]);
	r |= add_name(plan->dns_names, cluster->node_name);
	r |= add_name(plan->dns_names, "localhost");
	r |= add_name(plan->addresses, cluster->service_ip);
	r |= add_name(plan->addresses, cluster->node_ip);
	r |= add_name(plan->addresses, "127.0.0.1");
	if (endpoint)
		r |= add_dns_or_address(plan, endpoint_host(endpoint, plan->text[1], sizeof plan->text[1]));
	for (size_t i = 0; i < config->cluster.cert_sans.count; i++)
		r |= add_dns_or_address(plan, config->cluster.cert_sans.items[i]);
	return r ? -E2BIG : 0;
}

static void add_server_names(const struct cluster *cluster, enum leaf_names names, struct pki_leaf_plan *plan)
{
	add_name(plan->dns_names, cluster->node_name);
	if (names == ETCD_NAMES) {
		add_name(plan->dns_names, "localhost");
		add_name(plan->addresses, cluster->node_ip);
		add_name(plan->addresses, "127.0.0.1");
		add_name(plan->addresses, "::1");
	} else {
		add_name(plan->addresses, cluster->node_ip);
	}
}

int pki_leaf_plan(const struct cluster *cluster, enum pki_leaf leaf, struct pki_leaf_plan *plan, struct err *err)
{
	const struct pki_leaf_row *row = &leaf_rows[leaf];

	memset(plan, 0, sizeof *plan);
	plan->path = row->path;
	plan->authority = row->authority;
	plan->etcd_reads = row->etcd_reads;
	plan->request = (struct x509_request){
		.common_name = row->common_name ? row->common_name : cluster->node_name,
		.organization = group_name(cluster, row->group),
		.dns_names = plan->dns_names,
		.addresses = plan->addresses,
		.server = row->server,
		.client = row->client,
		.not_before = cluster->build_time,
		.not_after = cluster->now + CERTIFICATE_SECONDS,
	};
	if (leaf == LEAF_KUBELET_CLIENT) {
		snprintf(plan->text[2], sizeof plan->text[2], "system:node:%s", cluster->node_name);
		plan->request.common_name = plan->text[2];
	}
	if (row->names == APISERVER_NAMES && add_apiserver_names(cluster, plan) < 0)
		return err_set(err, E2BIG, "keelson.cluster.api_server.cert_sans: expected at most %d names of a kind",
			       PKI_NAMES - 10);
	if (row->names == ETCD_NAMES || row->names == NODE_NAMES)
		add_server_names(cluster, row->names, plan);
	return 0;
}

void pki_authority_request(const struct cluster *cluster, enum pki_authority authority, struct x509_request *request)
{
	*request = (struct x509_request){
		.common_name = pki_authorities[authority].common_name,
		.authority = true,
		.not_before = cluster->build_time,
		.not_after = cluster->now + AUTHORITY_SECONDS,
	};
}
