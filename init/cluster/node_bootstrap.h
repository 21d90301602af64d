/* What kubeadm puts into a new cluster, so that `kubeadm join`, Cluster API and a worker of ours find it. */
#ifndef KEELSON_CLUSTER_NODE_BOOTSTRAP_H
#define KEELSON_CLUSTER_NODE_BOOTSTRAP_H

#include "cluster/cluster.h"
#include "cluster/node_api.h"

#define BOOTSTRAP_MANIFEST "/usr/lib/keelson/configs/manifests/bootstrap.yaml"

/* The documents that depend on this cluster: cluster-info, kubeadm-config, kubelet-config and their readers, the
 * token. ca_pem is the cluster CA's certificate. Pure; the caller frees the array. */
json_t *bootstrap_documents(const struct cluster *cluster, const char *ca_pem);

/* Apply the fixed manifest and those documents. Safe to repeat. */
int node_bootstrap(struct node_api *api, const struct cluster *cluster, struct err *err);

#endif
