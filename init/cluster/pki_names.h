/* Which certificates a node has, with which names: kubeadm's, so that what people know fits. Pure. */
#ifndef KEELSON_CLUSTER_PKI_NAMES_H
#define KEELSON_CLUSTER_PKI_NAMES_H

#include "cluster/cluster.h"
#include "lib/x509.h"

enum pki_authority { CLUSTER_CA, ETCD_CA, FRONT_PROXY_CA, PKI_AUTHORITIES };

struct pki_authority_row {
	const char *name; /* path below the PKI directory, without .crt and .key */
	const char *common_name;
};

extern const struct pki_authority_row pki_authorities[PKI_AUTHORITIES];

enum pki_leaf {
	LEAF_APISERVER,
	LEAF_APISERVER_KUBELET_CLIENT,
	LEAF_APISERVER_ETCD_CLIENT,
	LEAF_ETCD_SERVER,
	LEAF_ETCD_PEER,
	LEAF_ETCD_HEALTHCHECK_CLIENT,
	LEAF_FRONT_PROXY_CLIENT,
	LEAF_KUBELET_SERVER,
	LEAF_KUBELET_CLIENT,
	LEAF_ADMIN,
	LEAF_SUPER_ADMIN,
	LEAF_CONTROLLER_MANAGER,
	LEAF_SCHEDULER,
	LEAF_KUBE_PROXY,
	LEAF_KEELSON,
	PKI_LEAVES
};

/* Most alternative names of a kind, with the NULL behind them: the schema's 100 of cert_sans and our own. */
#define PKI_NAMES 112

struct pki_leaf_plan {
	const char *path; /* below the PKI directory, without .crt and .key */
	enum pki_authority authority;
	bool etcd_reads; /* the key is readable by etcd's uid */
	struct x509_request request;
	const char *dns_names[PKI_NAMES];
	const char *addresses[PKI_NAMES];
	char text[4][320]; /* what the names above point to where they are derived */
};

/* Is this certificate made on this node? */
bool pki_leaf_wanted(const struct cluster *cluster, enum pki_leaf leaf);

/* Fill in the plan; it points into cluster and into itself, so neither moves. Returns 0, or -E2BIG with too many
 * keelson.cluster.api_server.cert_sans. */
int pki_leaf_plan(const struct cluster *cluster, enum pki_leaf leaf, struct pki_leaf_plan *plan, struct err *err);

/* What an authority's own certificate asks for. */
void pki_authority_request(const struct cluster *cluster, enum pki_authority authority, struct x509_request *request);

#endif
