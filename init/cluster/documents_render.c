/* Render everything the cluster step writes beside keys. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/documents.h"
#include "cluster/json_build.h"
#include "cluster/render.h"
#include "lib/cleanup.h"
#include "lib/yaml_write.h"

void documents_free(struct documents *documents)
{
	for (size_t i = 0; i < documents->count; i++)
		buf_free(&documents->items[i].text);
	documents->count = 0;
}

static struct document *document_add(struct documents *documents, mode_t mode, const char *directory, const char *name)
{
	struct document *item;

	if (documents->count == sizeof documents->items / sizeof *documents->items)
		return NULL;
	item = &documents->items[documents->count++];
	memset(item, 0, sizeof *item);
	item->mode = mode;
	snprintf(item->path, sizeof item->path, "%s/%s", directory, name);
	return item;
}

/* Takes the tree over. */
static int add_yaml(struct documents *documents, mode_t mode, const char *directory, const char *name, json_t *tree,
		    struct err *err)
{
	struct document *item = document_add(documents, mode, directory, name);
	int r = item ? yaml_write(tree, &item->text) : -E2BIG;

	json_decref(tree);
	return r ? err_set(err, ENOMEM, "render %s/%s: no room", directory, name) : 0;
}

static int add_pods(const struct cluster *cluster, struct documents *documents, struct err *err)
{
	int r = add_yaml(documents, 0600, MANIFEST_DIRECTORY, "kube-proxy.yaml", render_kube_proxy(cluster), err);

	if (r || !cluster_has_control_plane(cluster))
		return r;
	r = add_yaml(documents, 0600, MANIFEST_DIRECTORY, "etcd.yaml", render_etcd(cluster), err);
	if (!r)
		r = add_yaml(documents, 0600, MANIFEST_DIRECTORY, "kube-apiserver.yaml", render_api_server(cluster),
			     err);
	if (!r)
		r = add_yaml(documents, 0600, HELD_DIRECTORY, "kube-controller-manager.yaml",
			     render_controller_manager(cluster), err);
	if (!r)
		r = add_yaml(documents, 0600, HELD_DIRECTORY, "kube-scheduler.yaml", render_scheduler(cluster), err);
	return r;
}

struct kubeconfig_row {
	const char *file, *user;
	enum pki_leaf leaf;
};

static int add_kubeconfigs(const struct cluster *cluster, const struct pki *pki, struct documents *documents,
			   struct err *err)
{
	static const struct kubeconfig_row rows[] = {
		{"admin.conf", "kubernetes-admin", LEAF_ADMIN},
		{"super-admin.conf", "kubernetes-super-admin", LEAF_SUPER_ADMIN},
		{"kubelet.conf", "system:node", LEAF_KUBELET_CLIENT},
		{"controller-manager.conf", "system:kube-controller-manager", LEAF_CONTROLLER_MANAGER},
		{"scheduler.conf", "system:kube-scheduler", LEAF_SCHEDULER},
		{"kube-proxy.conf", "system:kube-proxy", LEAF_KUBE_PROXY},
	};
	char server[300];
	int r = 0;

	cluster_local_server(cluster, server, sizeof server);
	for (size_t i = 0; !r && i < sizeof rows / sizeof *rows; i++) {
		char node_user[300];
		json_t *tree;

		if (!pki->leaves[rows[i].leaf].certificate)
			continue;
		snprintf(node_user, sizeof node_user, "system:node:%s", cluster->node_name);
		r = render_kubeconfig(cluster, pki, rows[i].leaf,
				      rows[i].leaf == LEAF_KUBELET_CLIENT ? node_user : rows[i].user, server, &tree,
				      err);
		if (!r)
			r = add_yaml(documents, 0600, KUBERNETES_DIRECTORY, rows[i].file, tree, err);
	}
	return r;
}

static int add_worker_kubeconfigs(const struct cluster *cluster, const struct pki *pki, struct documents *documents,
				  struct err *err)
{
	json_t *tree;
	int r = render_bootstrap_kubeconfig(cluster, pki, &tree, err);

	if (!r)
		r = add_yaml(documents, 0600, KUBERNETES_DIRECTORY, "bootstrap-kubelet.conf", tree, err);
	if (!r)
		r = render_worker_proxy_kubeconfig(cluster, pki, &tree, err);
	if (!r)
		r = add_yaml(documents, 0600, KUBERNETES_DIRECTORY, "kube-proxy.conf", tree, err);
	return r;
}

static int add_registries(const struct cluster *cluster, struct documents *documents, struct err *err)
{
	const char *registry;
	json_t *settings;

	json_object_foreach (cluster->config->registries, registry, settings) {
		char directory[200];
		struct document *item;
		int r;

		snprintf(directory, sizeof directory, "/etc/containerd/certs.d/%.150s", registry);
		item = document_add(documents, 0644, directory, "hosts.toml");
		if (!item)
			return err_set(err, E2BIG, "containerd.registries: expected at most 24 registries, found %zu",
				       json_object_size(cluster->config->registries));
		r = render_registry_hosts(registry, settings, &item->text, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int add_node_files(const struct cluster *cluster, struct documents *documents, struct err *err)
{
	_cleanup_(json_decrefp) json_t *cni = render_cni(cluster);
	struct document *item;
	int r = add_yaml(documents, 0644, KUBERNETES_DIRECTORY, "kubelet.yaml", render_kubelet_config(cluster), err);

	if (!r)
		r = add_yaml(documents, 0644, KUBERNETES_DIRECTORY, "kube-proxy.yaml",
			     render_kube_proxy_config(cluster), err);
	if (r)
		return r;
	if (cni) {
		char *text = json_dumps(cni, JSON_INDENT(2));

		item = document_add(documents, 0644, "/etc/cni/net.d", "10-keelson.conflist");
		if (!item || !text || buf_addf(&item->text, "%s\n", text) < 0)
			r = err_set(err, ENOMEM, "render the pod network: no room");
		free(text);
	}
	item = document_add(documents, 0644, "/run/keelson", "kubelet.env");
	if (!r && !item)
		r = err_set(err, E2BIG, "render kubelet.env: no room");
	return r ? r : render_kubelet_env(cluster, &item->text, err);
}

int documents_render(const struct cluster *cluster, const struct pki *pki, struct documents *documents, struct err *err)
{
	int r = add_node_files(cluster, documents, err);

	if (!r)
		r = add_pods(cluster, documents, err);
	if (!r)
		r = cluster_has_control_plane(cluster) ? add_kubeconfigs(cluster, pki, documents, err)
						       : add_worker_kubeconfigs(cluster, pki, documents, err);
	if (!r)
		r = add_registries(cluster, documents, err);
	return r;
}
