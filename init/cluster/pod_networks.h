/* What CNI plugins remember of pods that ended with an earlier boot. */
#ifndef KEELSON_CLUSTER_POD_NETWORKS_H
#define KEELSON_CLUSTER_POD_NETWORKS_H

#include "lib/err.h"

#define CNI_RECORDS "/var/lib/cni"
#define CNI_FORGOTTEN "/run/keelson/cni-forgotten"

/* Once a boot, before any pod: remove everything below RECORDS, then make FLAG, with which the next call does nothing.
 * Returns 0, also when there is nothing, or -errno. */
int forget_pod_networks(const char *records, const char *flag, struct err *err);

#endif
