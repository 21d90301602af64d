/* The shape that all static pods share: kubeadm's, run from the node's own /usr.
 *
 * The image is our pause program and symbolic links into /usr; the node's verified /usr is mounted read-only on it.
 * Nothing is pulled, nothing unpacked, and the program is the image's.
 * Source: kubeadm's cmd/kubeadm/app/util/staticpod/utils.go (labels, priority, probes, seccomp profile).
 */
#include "cluster/static_pod.h"

#include "cluster/json_build.h"

static json_t *probe_build(const struct static_probe *probe, int delay, int period, int failures)
{
	json_t *tree =
		json_must(json_pack("{s:i, s:{s:s, s:s, s:i, s:s}}", "failureThreshold", failures, "httpGet", "host",
				    probe->host, "path", probe->path, "port", probe->port, "scheme", probe->scheme));

	if (delay)
		json_put(tree, "initialDelaySeconds", json_integer(delay));
	json_put(tree, "periodSeconds", json_integer(period));
	json_put(tree, "timeoutSeconds", json_integer(15));
	return tree;
}

json_t *static_liveness(const struct static_probe *probe)
{
	return probe_build(probe, 10, 10, 8);
}

/* kubeadm asks each second: on an idle node that was 31 of 76 requests the API server answered in 30 s, each with a
 * TLS handshake and a read from etcd. Our own steps ask /readyz themselves. */
json_t *static_readiness(const struct static_probe *probe)
{
	return probe_build(probe, 0, 5, 3);
}

/* kubeadm's 4 minutes, times 2.5: a machine that needs longer was seen (emulated, its processors shared), and a start
 * that is cut off begins anew with nothing gained, for ever. */
json_t *static_startup(const struct static_probe *probe)
{
	return probe_build(probe, 10, 10, 60);
}

json_t *static_security(int uid)
{
	json_t *security =
		json_must(json_pack("{s:b, s:{s:[s]}}", "allowPrivilegeEscalation", 0, "capabilities", "drop", "ALL"));

	if (uid >= 0) {
		json_put(security, "runAsUser", json_integer(uid));
		json_put(security, "runAsGroup", json_integer(uid));
		json_put(security, "runAsNonRoot", json_true());
	}
	return security;
}

static void add_mount(json_t *mounts, json_t *volumes, const struct static_mount *mount)
{
	const char *target = mount->mount_path ? mount->mount_path : mount->host_path;
	json_t *source = json_must(json_pack("{s:s}", "path", mount->host_path));

	if (mount->type)
		json_put_text(source, "type", "%s", mount->type);
	json_push(mounts,
		  json_pack("{s:s, s:s, s:b}", "mountPath", target, "name", mount->name, "readOnly", !mount->writable));
	json_push(volumes, json_pack("{s:o, s:s}", "hostPath", source, "name", mount->name));
}

static json_t *container_build(const struct static_pod *pod, json_t *mounts)
{
	json_t *container = json_must(
		json_pack("{s:o, s:s, s:s}", "command", pod->command, "image", BASE_IMAGE, "imagePullPolicy", "Never"));

	if (pod->liveness)
		json_put(container, "livenessProbe", pod->liveness);
	json_put_text(container, "name", "%s", pod->name);
	if (pod->readiness)
		json_put(container, "readinessProbe", pod->readiness);
	json_put(container, "resources", json_pack("{s:o}", "requests", pod->resources));
	json_put(container, "securityContext", pod->security);
	if (pod->startup)
		json_put(container, "startupProbe", pod->startup);
	json_put(container, "volumeMounts", mounts);
	return container;
}

json_t *static_pod_build(const struct cluster *cluster, const struct static_pod *pod)
{
	static const struct static_mount usr = {"usr", "/usr", NULL, "Directory", false};
	json_t *annotations = pod->annotations ? pod->annotations : json_must(json_object());
	json_t *mounts = json_must(json_array()), *volumes = json_must(json_array());
	json_t *spec, *metadata;

	json_put_text(annotations, RENDERED_ANNOTATION, "%s", cluster->rendered);
	add_mount(mounts, volumes, &usr);
	for (const struct static_mount *mount = pod->mounts; mount->name; mount++)
		add_mount(mounts, volumes, mount);
	metadata =
		json_must(json_pack("{s:o, s:{s:s, s:s}, s:s, s:s}", "annotations", annotations, "labels", "component",
				    pod->name, "tier", "control-plane", "name", pod->name, "namespace", "kube-system"));
	spec = json_must(json_pack("{s:[o], s:b, s:s, s:{s:{s:s}}, s:o}", "containers", container_build(pod, mounts),
				   "hostNetwork", 1, "priorityClassName", "system-node-critical", "securityContext",
				   "seccompProfile", "type", "RuntimeDefault", "volumes", volumes));
	return json_must(json_pack("{s:s, s:s, s:o, s:o}", "apiVersion", "v1", "kind", "Pod", "metadata", metadata,
				   "spec", spec));
}
