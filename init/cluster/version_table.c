/* Which flag, which configuration field and which name exists from which Kubernetes minor to which.
 *
 * The one place where a release differs from another: renderers ask by feature and never compare versions. What is
 * not here exists in every release from 1.20 to 1.33. Sources: CHANGELOG/CHANGELOG-1.NN.md of kubernetes/kubernetes
 * and the pull requests named there; kubeadm's own manifests of each release.
 */
#include "cluster/version_table.h"

#include <stddef.h>

#define FIRST KUBERNETES_MINOR_FIRST
#define LAST KUBERNETES_MINOR_LAST

struct version_row {
	const char *name;
	unsigned char first, last; /* minors of 1.x, both included */
};

static const struct version_row version_rows[VERSION_FEATURES] = {
	/* Insecure serving: without effect in the API server from 1.20, flags gone in 1.24 (#95856, #96216, #96345).
	 * The controller manager and the scheduler of 1.20 still open an insecure port unless told 0. */
	[APISERVER_INSECURE_PORT] = {"insecure-port", FIRST, 23},
	/* Priority and fairness counted a sample for every millisecond that passed, at each level, until 1.24 (#97685,
	 * replaced by #110104): a third of what an idle API server does. */
	[APISERVER_COSTLY_FAIRNESS] = {"enable-priority-and-fairness", FIRST, 24},
	[CONTROLLER_MANAGER_PORT] = {"port", FIRST, 23},
	[SCHEDULER_PORT] = {"port", FIRST, 23},

	/* docker was the default until dockershim went in 1.24; the flag went in 1.27 (#114017). */
	[KUBELET_CONTAINER_RUNTIME] = {"container-runtime", FIRST, 26},
	/* The endpoint moved from a flag to KubeletConfiguration in 1.27 (#112136). */
	[KUBELET_RUNTIME_ENDPOINT_FLAG] = {"container-runtime-endpoint", FIRST, 26},
	[KUBELET_RUNTIME_ENDPOINT_FIELD] = {"containerRuntimeEndpoint", 27, LAST},
	/* Deprecated, yet in every release here: it keeps the garbage collector off the pause image. */
	[KUBELET_POD_INFRA_IMAGE] = {"pod-infra-container-image", FIRST, LAST},
	/* KubeletConfiguration.registerWithTaints from 1.23 (#105437). */
	[KUBELET_TAINTS_FLAG] = {"register-with-taints", FIRST, 22},
	[KUBELET_TAINTS_FIELD] = {"registerWithTaints", 23, LAST},
	/* Feature gate SeccompDefault: on by default (beta) from 1.25, general from 1.27 (KEP-2413). */
	[KUBELET_SECCOMP_DEFAULT] = {"seccompDefault", 25, LAST},
	/* The kubelet's own AWS credentials, which ask 169.254.169.254 at every start on any hardware, until 1.26
	 * (#116329); the variable is the AWS SDK's. */
	[KUBELET_AWS_METADATA] = {"AWS_EC2_METADATA_DISABLED", FIRST, 26},

	/* KEP-2067: the master label goes in 1.24; the control-plane taint comes in 1.24; the master taint goes
	   in 1.25. */
	[LABEL_MASTER] = {"node-role.kubernetes.io/master", FIRST, 23},
	[TAINT_MASTER] = {"node-role.kubernetes.io/master", FIRST, 24},
	[TAINT_CONTROL_PLANE] = {"node-role.kubernetes.io/control-plane", 24, LAST},
	/* kubeadm sets it on control planes from 1.21. */
	[LABEL_EXCLUDE_BALANCERS] = {"node.kubernetes.io/exclude-from-external-load-balancers", 21, LAST},

	/* admin.conf belongs to a group that RBAC can revoke from 1.29; before it is system:masters (#121305). */
	[GROUP_CLUSTER_ADMINS] = {"kubeadm:cluster-admins", 29, LAST},
	/* ConfigMap kubelet-config-1.NN until 1.23, kubelet-config from 1.24 (kubeadm #1582). */
	[KUBELET_CONFIG_MAP_VERSIONED] = {"kubelet-config-1.", FIRST, 23},
	/* The newest kubeadm API each release's kubeadm reads. */
	[KUBEADM_V1BETA2] = {"kubeadm.k8s.io/v1beta2", FIRST, 21},
	[KUBEADM_V1BETA3] = {"kubeadm.k8s.io/v1beta3", 22, 30},
	[KUBEADM_V1BETA4] = {"kubeadm.k8s.io/v1beta4", 31, LAST},
};

bool version_has(const struct kubernetes_version *version, enum version_feature feature)
{
	const struct version_row *row = &version_rows[feature];

	return version->minor >= row->first && version->minor <= row->last;
}

const char *version_feature_name(enum version_feature feature)
{
	return version_rows[feature].name;
}
