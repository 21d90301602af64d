/* The kubelet's configuration and arguments.
 *
 * Source: kubernetes.io, Kubelet Configuration (v1beta1), and kubeadm's kubelet-config; what a real node needs beyond
 * it: reservations, eviction, a bound on pids and logs, cgroups by name. Values left out are the kubelet's defaults.
 * The seccomp profile RuntimeDefault is everybody's from 1.25 on; before that release a pod has to ask for it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/json_build.h"
#include "cluster/node_labels.h"
#include "cluster/render.h"
#include "lib/cleanup.h"

#define ENDPOINT "unix://" CONTAINERD_SOCKET

static void add_access(const struct cluster *cluster, json_t *tree)
{
	json_put(tree, "authentication",
		 json_pack("{s:{s:b}, s:{s:s, s:b}, s:{s:s}}", "anonymous", "enabled", 0, "webhook", "cacheTTL", "2m0s",
			   "enabled", 1, "x509", "clientCAFile", PKI_DIRECTORY "/ca.crt"));
	json_put(tree, "authorization",
		 json_pack("{s:s, s:{s:s, s:s}}", "mode", "Webhook", "webhook", "cacheAuthorizedTTL", "5m0s",
			   "cacheUnauthorizedTTL", "30s"));
	json_put(tree, "readOnlyPort", json_integer(0));
	/* A worker gets its client certificate by the bootstrap token and keeps it fresh itself. */
	json_put(tree, "rotateCertificates", json_boolean(!cluster_has_control_plane(cluster)));
	if (cluster_has_control_plane(cluster)) {
		json_put_text(tree, "tlsCertFile", PKI_DIRECTORY "/kubelet.crt");
		json_put_text(tree, "tlsPrivateKeyFile", PKI_DIRECTORY "/kubelet.key");
	}
}

static void add_limits(json_t *tree)
{
	json_put(tree, "enforceNodeAllocatable", json_pack("[s]", "pods"));
	json_put(tree, "evictionHard",
		 json_pack("{s:s, s:s, s:s, s:s, s:s}", "imagefs.available", "15%", "memory.available", "100Mi",
			   "nodefs.available", "10%", "nodefs.inodesFree", "5%", "pid.available", "5%"));
	json_put(tree, "kubeReserved",
		 json_pack("{s:s, s:s, s:s, s:s}", "cpu", "100m", "ephemeral-storage", "256Mi", "memory", "256Mi",
			   "pid", "1000"));
	json_put(tree, "systemReserved",
		 json_pack("{s:s, s:s, s:s, s:s}", "cpu", "50m", "ephemeral-storage", "256Mi", "memory", "128Mi", "pid",
			   "1000"));
	json_put(tree, "podPidsLimit", json_integer(4096));
	json_put_text(tree, "containerLogMaxSize", "10Mi");
	json_put(tree, "containerLogMaxFiles", json_integer(5));
	json_put_text(tree, "imageMinimumGCAge", "2m0s");
	json_put(tree, "imageGCHighThresholdPercent", json_integer(85));
	json_put(tree, "imageGCLowThresholdPercent", json_integer(80));
}

static void add_versioned(const struct cluster *cluster, json_t *tree)
{
	const struct kubernetes_version *version = &cluster->version;

	if (version_has(version, KUBELET_RUNTIME_ENDPOINT_FIELD))
		json_put_text(tree, version_feature_name(KUBELET_RUNTIME_ENDPOINT_FIELD), ENDPOINT);
	if (version_has(version, KUBELET_SECCOMP_DEFAULT))
		json_put(tree, version_feature_name(KUBELET_SECCOMP_DEFAULT), json_true());
	if (version_has(version, KUBELET_TAINTS_FIELD)) {
		json_t *taints = node_taints(cluster);

		if (json_array_size(taints))
			json_put(tree, version_feature_name(KUBELET_TAINTS_FIELD), taints);
		else
			json_decref(taints);
	}
}

json_t *render_kubelet_config(const struct cluster *cluster)
{
	json_t *tree = json_must(
		json_pack("{s:s, s:s}", "apiVersion", "kubelet.config.k8s.io/v1beta1", "kind", "KubeletConfiguration"));

	add_access(cluster, tree);
	json_put_text(tree, "cgroupDriver", "cgroupfs");
	json_put_text(tree, "cgroupRoot", "/");
	json_put_text(tree, "kubeletCgroups", "/kube/kubelet");
	json_put_text(tree, "clusterDomain", "%s", cluster->config->cluster.dns_domain);
	json_put(tree, "failSwapOn", json_false());
	json_put_text(tree, "healthzBindAddress", "127.0.0.1");
	json_put(tree, "healthzPort", json_integer(10248));
	json_put_text(tree, "nodeStatusReportFrequency", "5m0s");
	json_put_text(tree, "nodeStatusUpdateFrequency", "10s");
	json_put_text(tree, "resolvConf", "/run/keelson/resolv.conf");
	json_put_text(tree, "staticPodPath", MANIFEST_DIRECTORY);
	/* The API shows a static pod when the kubelet next comes by it: by default up to 90 s after the server is
	 * ready. */
	if (cluster_has_control_plane(cluster))
		json_put_text(tree, "syncFrequency", "15s");
	json_put_text(tree, "volumePluginDir", "/var/lib/kubelet/volumeplugins");
	add_limits(tree);
	add_versioned(cluster, tree);
	json_merge(tree, cluster->config->kubelet.config);
	return tree;
}

static int add_flag(struct buf *env, const char *flag, const char *value)
{
	return value && *value ? buf_addf(env, " --%s=%s", flag, value) : 0;
}

static int add_versioned_flag(const struct cluster *cluster, struct buf *env, enum version_feature feature,
			      const char *value)
{
	return version_has(&cluster->version, feature) ? add_flag(env, version_feature_name(feature), value) : 0;
}

/* A value reaches the kubelet as one word only without white space, quotes, $ and \. */
static int check_words(const struct buf *env, struct err *err)
{
	for (const char *p = buf_string(env); *p; p++)
		if (strchr("\t\n\r\"'\\$", *p))
			return err_set(err, EINVAL, "kubelet arguments: expected no \"%c\" in labels and taints",
				       *p < ' ' ? ' ' : *p);
	return 0;
}

int render_kubelet_env(const struct cluster *cluster, struct buf *env, struct err *err)
{
	_cleanup_(buf_free) struct buf labels = {0}, taints = {0}, flags = {0};
	int r = node_labels_flag(cluster, &labels);

	r |= node_taints_flag(cluster, &taints);
	r |= add_flag(&flags, "config", KUBERNETES_DIRECTORY "/kubelet.yaml");
	r |= add_flag(&flags, "kubeconfig", KUBERNETES_DIRECTORY "/kubelet.conf");
	if (!cluster_has_control_plane(cluster))
		r |= add_flag(&flags, "bootstrap-kubeconfig", KUBERNETES_DIRECTORY "/bootstrap-kubelet.conf");
	r |= add_versioned_flag(cluster, &flags, KUBELET_CONTAINER_RUNTIME, "remote");
	r |= add_versioned_flag(cluster, &flags, KUBELET_RUNTIME_ENDPOINT_FLAG, ENDPOINT);
	r |= add_flag(&flags, "runtime-cgroups", "/kube/containerd");
	r |= add_flag(&flags, "hostname-override", cluster->node_name);
	r |= add_flag(&flags, "node-ip", cluster->node_ip);
	r |= add_flag(&flags, "node-labels", buf_string(&labels));
	r |= add_versioned_flag(cluster, &flags, KUBELET_TAINTS_FLAG, buf_string(&taints));
	r |= add_versioned_flag(cluster, &flags, KUBELET_POD_INFRA_IMAGE, BASE_IMAGE);
	if (!r && check_words(&flags, err) < 0)
		return -EINVAL;
	if (!r)
		r = buf_addf(env, "KUBELET_ARGS=\"%s\"\n", buf_string(&flags) + 1);
	/* Where nobody answers at that address the kubelet would start 6 s later. */
	if (!r && !cluster->on_aws && version_has(&cluster->version, KUBELET_AWS_METADATA))
		r = buf_addf(env, "%s=true\n", version_feature_name(KUBELET_AWS_METADATA));
	return r ? err_set(err, ENOMEM, "kubelet arguments: out of memory") : 0;
}
