/* The renderers: pure functions from what the node is to documents. Each returns a tree that the caller frees. */
#ifndef KEELSON_CLUSTER_RENDER_H
#define KEELSON_CLUSTER_RENDER_H

#include <jansson.h>

#include "cluster/cluster.h"
#include "cluster/pki.h"
#include "cluster/version_table.h"
#include "lib/buf.h"

/* Static pods. */
json_t *render_etcd(const struct cluster *cluster);
json_t *render_api_server(const struct cluster *cluster);
json_t *render_controller_manager(const struct cluster *cluster);
json_t *render_scheduler(const struct cluster *cluster);
json_t *render_kube_proxy(const struct cluster *cluster);

/* Component configuration. */
json_t *render_kubelet_config(const struct cluster *cluster);
json_t *render_kube_proxy_config(const struct cluster *cluster);

/* The kubelet's environment. KUBELET_ARGS="…" is what the kubelet's service file expands, as systemd does, at white
 * space. */
int render_kubelet_env(const struct cluster *cluster, struct buf *env, struct err *err);

/* A kubeconfig with everything inside. leaf PKI_LEAVES: no user at all (cluster-info). */
int render_kubeconfig(const struct cluster *cluster, const struct pki *pki, enum pki_leaf leaf, const char *user,
		      const char *server, json_t **kubeconfig, struct err *err);

/* A kubeconfig whose user is a bootstrap token, or the certificate that the kubelet got with it. */
int render_bootstrap_kubeconfig(const struct cluster *cluster, const struct pki *pki, json_t **kubeconfig,
				struct err *err);
int render_worker_proxy_kubeconfig(const struct cluster *cluster, const struct pki *pki, json_t **kubeconfig,
				   struct err *err);

/* The pod network's conflist, or NULL where none is ours to write. */
json_t *render_cni(const struct cluster *cluster);

/* hosts.toml of one registry for containerd's certs.d. */
int render_registry_hosts(const char *registry, const json_t *settings, struct buf *toml, struct err *err);

#endif
