/* The controller manager and the scheduler as static pods.
 *
 * Source: kubeadm's cmd/kubeadm/app/phases/controlplane/manifests.go. On role `single` nobody else can hold the
 * lease, and waiting for that of the last boot to run out would cost up to 15 s: no leader election there.
 */
#include "cluster/arguments.h"
#include "cluster/json_build.h"
#include "cluster/render.h"
#include "cluster/static_pod.h"

#define CONTROLLER_MANAGER_CONF KUBERNETES_DIRECTORY "/controller-manager.conf"
#define SCHEDULER_CONF KUBERNETES_DIRECTORY "/scheduler.conf"
#define VOLUME_PLUGINS "/var/lib/kubelet/volumeplugins"

static const struct static_mount controller_manager_mounts[] = {
	{"ca-certs", "/etc/ssl/certs", NULL, "DirectoryOrCreate", false},
	{"flexvolume-dir", VOLUME_PLUGINS, NULL, "DirectoryOrCreate", true},
	{"k8s-certs", PKI_DIRECTORY, NULL, "Directory", false},
	{"kubeconfig", CONTROLLER_MANAGER_CONF, NULL, "File", false},
	{NULL, NULL, NULL, NULL, false},
};

static const struct static_mount scheduler_mounts[] = {
	{"kubeconfig", SCHEDULER_CONF, NULL, "File", false},
	{NULL, NULL, NULL, NULL, false},
};

static const struct argument controller_manager_fixed[] = {
	{"allocate-node-cidrs", "true"},
	{"authentication-kubeconfig", CONTROLLER_MANAGER_CONF},
	{"authorization-kubeconfig", CONTROLLER_MANAGER_CONF},
	{"bind-address", "127.0.0.1"},
	{"client-ca-file", PKI_DIRECTORY "/ca.crt"},
	{"cluster-signing-cert-file", PKI_DIRECTORY "/ca.crt"},
	{"cluster-signing-key-file", PKI_DIRECTORY "/ca.key"},
	{"controllers", "*,bootstrapsigner,tokencleaner"},
	{"flex-volume-plugin-dir", VOLUME_PLUGINS},
	{"kubeconfig", CONTROLLER_MANAGER_CONF},
	{"requestheader-client-ca-file", PKI_DIRECTORY "/front-proxy-ca.crt"},
	{"root-ca-file", PKI_DIRECTORY "/ca.crt"},
	{"service-account-private-key-file", PKI_DIRECTORY "/sa.key"},
	{"use-service-account-credentials", "true"},
	{NULL, NULL},
};

static const struct argument scheduler_fixed[] = {
	{"authentication-kubeconfig", SCHEDULER_CONF},
	{"authorization-kubeconfig", SCHEDULER_CONF},
	{"bind-address", "127.0.0.1"},
	{"kubeconfig", SCHEDULER_CONF},
	{NULL, NULL},
};

static const char *leader_election(const struct cluster *cluster)
{
	return cluster->config->role == ROLE_SINGLE ? "false" : "true";
}

static json_t *controller_manager_command(const struct cluster *cluster)
{
	const struct node_config *config = cluster->config;
	json_t *arguments = json_must(json_object()), *command;

	arguments_add(arguments, controller_manager_fixed);
	arguments_add_versioned(arguments, &cluster->version, CONTROLLER_MANAGER_PORT, "0");
	json_put_text(arguments, "cluster-cidr", "%s", config->cluster.pod_cidr);
	json_put_text(arguments, "cluster-name", "%s", config->cluster.name);
	json_put_text(arguments, "leader-elect", "%s", leader_election(cluster));
	json_put_text(arguments, "node-cidr-mask-size", "%u", cluster->pod_subnet_bits);
	json_put_text(arguments, "service-cluster-ip-range", "%s", config->cluster.service_cidr);
	command = arguments_command("/usr/lib/kubernetes/kube-controller-manager", arguments,
				    config->cluster.controller_manager_args);
	json_decref(arguments);
	return command;
}

json_t *render_controller_manager(const struct cluster *cluster)
{
	static const struct static_probe healthy = {"127.0.0.1", "/healthz", "HTTPS", 10257};
	struct static_pod pod = {.name = "kube-controller-manager", .mounts = controller_manager_mounts};

	pod.command = controller_manager_command(cluster);
	pod.resources = json_pack("{s:s}", "cpu", "200m");
	pod.security = static_security(-1);
	pod.liveness = static_liveness(&healthy);
	pod.startup = static_startup(&healthy);
	return static_pod_build(cluster, &pod);
}

json_t *render_scheduler(const struct cluster *cluster)
{
	static const struct static_probe healthy = {"127.0.0.1", "/healthz", "HTTPS", 10259};
	json_t *arguments = json_must(json_object());
	struct static_pod pod = {.name = "kube-scheduler", .mounts = scheduler_mounts};

	arguments_add(arguments, scheduler_fixed);
	arguments_add_versioned(arguments, &cluster->version, SCHEDULER_PORT, "0");
	json_put_text(arguments, "leader-elect", "%s", leader_election(cluster));
	pod.command = arguments_command("/usr/lib/kubernetes/kube-scheduler", arguments,
					cluster->config->cluster.scheduler_args);
	json_decref(arguments);
	pod.resources = json_pack("{s:s}", "cpu", "100m");
	pod.security = static_security(-1);
	pod.liveness = static_liveness(&healthy);
	pod.startup = static_startup(&healthy);
	return static_pod_build(cluster, &pod);
}
