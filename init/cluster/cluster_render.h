/* The whole step: from what the node is to what lies in /etc/kubernetes. */
#ifndef KEELSON_CLUSTER_CLUSTER_RENDER_H
#define KEELSON_CLUSTER_CLUSTER_RENDER_H

#include "cluster/cluster.h"

/* Load or make the authorities (SAVED), make leaf certificates, render and write everything below ROOT. */
int cluster_render(const struct cluster *cluster, const char *saved, const char *root, struct err *err);

#endif
