/* Which flag, which configuration field and which name exists from which Kubernetes minor to which. */
#ifndef KEELSON_CLUSTER_VERSION_TABLE_H
#define KEELSON_CLUSTER_VERSION_TABLE_H

#include <stdbool.h>

#include "lib/kubernetes_version.h"

enum version_feature {
	APISERVER_INSECURE_PORT,
	APISERVER_COSTLY_FAIRNESS,
	CONTROLLER_MANAGER_PORT,
	SCHEDULER_PORT,
	KUBELET_CONTAINER_RUNTIME,
	KUBELET_RUNTIME_ENDPOINT_FLAG,
	KUBELET_RUNTIME_ENDPOINT_FIELD,
	KUBELET_POD_INFRA_IMAGE,
	KUBELET_TAINTS_FLAG,
	KUBELET_TAINTS_FIELD,
	KUBELET_SECCOMP_DEFAULT,
	KUBELET_AWS_METADATA,
	LABEL_MASTER,
	TAINT_MASTER,
	TAINT_CONTROL_PLANE,
	LABEL_EXCLUDE_BALANCERS,
	GROUP_CLUSTER_ADMINS,
	KUBELET_CONFIG_MAP_VERSIONED,
	KUBEADM_V1BETA2,
	KUBEADM_V1BETA3,
	KUBEADM_V1BETA4,
	VERSION_FEATURES
};

/* Does it exist in this release? */
bool version_has(const struct kubernetes_version *version, enum version_feature feature);

/* The flag's or field's own name: "insecure-port", "containerRuntimeEndpoint". */
const char *version_feature_name(enum version_feature feature);

#endif
