/* Labels and taints of the Node: which of them the kubelet may set itself, and which the admin must. Pure. */
#ifndef KEELSON_CLUSTER_NODE_LABELS_H
#define KEELSON_CLUSTER_NODE_LABELS_H

#include <jansson.h>
#include <stdbool.h>

#include "cluster/cluster.h"
#include "lib/buf.h"

/* May --node-labels hold it? (A kubelet that finds another one there does not start.) */
bool node_label_is_kubelets(const char *key);

/* "a=1,b=2" of the user's labels that the kubelet sets; empty when there are none. */
int node_labels_flag(const struct cluster *cluster, struct buf *flag);

/* What is patched on the Node by the admin: kubeadm's role labels and the user's restricted ones. */
json_t *node_labels_patch(const struct cluster *cluster);

/* The taints a Node registers with, as [{key, value, effect}], and as the flag's text. */
json_t *node_taints(const struct cluster *cluster);
int node_taints_flag(const struct cluster *cluster, struct buf *flag);

#endif
