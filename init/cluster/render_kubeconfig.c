/* Kubeconfigs, with everything inside, as kubeadm writes them. Pure but for reading the PKI in memory. */
#include <stdio.h>
#include <string.h>

#include "cluster/json_build.h"
#include "cluster/render.h"
#include "lib/base64.h"
#include "lib/cleanup.h"

static int put_base64(json_t *object, const char *key, const struct buf *pem)
{
	_cleanup_(buf_free) struct buf text = {0};
	int r = base64_encode(pem->data, pem->len, &text);

	if (!r)
		json_put_text(object, key, "%s", buf_string(&text));
	return r;
}

static int cluster_entry(const struct cluster *cluster, const struct pki *pki, const char *server, json_t **entry,
			 struct err *err)
{
	_cleanup_(buf_free) struct buf pem = {0};
	int r = x509_write_certificate(pki->authorities[CLUSTER_CA].certificate, &pem, err);
	json_t *inner;

	if (r < 0)
		return r;
	inner = json_must(json_object());
	r = put_base64(inner, "certificate-authority-data", &pem);
	json_put_text(inner, "server", "%s", server);
	*entry = json_must(json_pack("{s:o, s:s}", "cluster", inner, "name", cluster->config->cluster.name));
	return r;
}

static json_t *put_together(const struct cluster *cluster, json_t *entry, const char *user, json_t *credentials)
{
	const char *name = cluster->config->cluster.name;
	json_t *context = json_text("%s@%s", user, name);

	return json_must(json_pack("{s:s, s:[o], s:[{s:{s:s, s:s}, s:O}], s:o, s:s, s:{}, s:[{s:s, s:o}]}",
				   "apiVersion", "v1", "clusters", entry, "contexts", "context", "cluster", name,
				   "user", user, "name", context, "current-context", context, "kind", "Config",
				   "preferences", "users", "name", user, "user", credentials));
}

/* cluster-info: who the cluster is, and nobody to log in as. */
static json_t *without_user(json_t *entry)
{
	json_put_text(entry, "name", "%s", "");
	return json_must(json_pack("{s:s, s:[o], s:[], s:s, s:s, s:{}, s:[]}", "apiVersion", "v1", "clusters", entry,
				   "contexts", "current-context", "", "kind", "Config", "preferences", "users"));
}

int render_kubeconfig(const struct cluster *cluster, const struct pki *pki, enum pki_leaf leaf, const char *user,
		      const char *server, json_t **kubeconfig, struct err *err)
{
	_cleanup_(buf_free) struct buf certificate = {0}, key = {0};
	json_t *entry, *credentials;
	int r = cluster_entry(cluster, pki, server, &entry, err);

	if (r < 0)
		return r;
	if (leaf == PKI_LEAVES) {
		*kubeconfig = without_user(entry);
		return 0;
	}
	credentials = json_must(json_object());
	r = x509_write_certificate(pki->leaves[leaf].certificate, &certificate, err);
	if (!r)
		r = x509_write_key(pki->leaves[leaf].key, &key, err);
	if (!r)
		r = put_base64(credentials, "client-certificate-data", &certificate);
	if (!r)
		r = put_base64(credentials, "client-key-data", &key);
	*kubeconfig = put_together(cluster, entry, user, credentials);
	return r;
}

int render_bootstrap_kubeconfig(const struct cluster *cluster, const struct pki *pki, json_t **kubeconfig,
				struct err *err)
{
	const char *token = cluster->config->cluster.token;
	json_t *entry, *credentials;
	int r = cluster_entry(cluster, pki, cluster->config->cluster.endpoint, &entry, err);

	if (r < 0)
		return r;
	credentials = json_must(json_object());
	if (token)
		json_put_text(credentials, "token", "%s", token);
	*kubeconfig = put_together(cluster, entry, "tls-bootstrap-token-user", credentials);
	return 0;
}

int render_worker_proxy_kubeconfig(const struct cluster *cluster, const struct pki *pki, json_t **kubeconfig,
				   struct err *err)
{
	static const char got[] = "/var/lib/kubelet/pki/kubelet-client-current.pem";
	json_t *entry;
	int r = cluster_entry(cluster, pki, cluster->config->cluster.endpoint, &entry, err);

	if (r < 0)
		return r;
	*kubeconfig = put_together(cluster, entry, "default-auth",
				   json_must(json_pack("{s:s, s:s}", "client-certificate", got, "client-key", got)));
	return 0;
}
