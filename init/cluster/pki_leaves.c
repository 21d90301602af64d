/* Leaf certificates: new at every rendering, written where kubeadm has them (a tmpfs here). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/pki.h"
#include "lib/cleanup.h"
#include "lib/file.h"

int pki_make_leaves(const struct cluster *cluster, struct pki *pki, struct err *err)
{
	for (int i = 0; i < PKI_LEAVES; i++) {
		struct pki_leaf_plan plan;
		int r;

		if (!pki_leaf_wanted(cluster, (enum pki_leaf)i))
			continue;
		r = pki_leaf_plan(cluster, (enum pki_leaf)i, &plan, err);
		if (!r)
			r = x509_issue(&plan.request, &pki->authorities[plan.authority], &pki->leaves[i], err);
		if (r < 0)
			return err_wrap(err, r, "PKI");
	}
	return 0;
}

static int write_one(const char *directory, const char *name, const char *suffix, const struct buf *pem, mode_t mode,
		     struct err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
	return file_write_atomic(path, pem->data, pem->len, mode, err);
}

static int write_certificate(const char *directory, const char *name, X509 *certificate, struct err *err)
{
	_cleanup_(buf_free) struct buf pem = {0};
	int r = x509_write_certificate(certificate, &pem, err);

	return r ? r : write_one(directory, name, ".crt", &pem, 0644, err);
}

static int write_key(const char *directory, const char *name, EVP_PKEY *key, struct err *err)
{
	_cleanup_(buf_free) struct buf pem = {0};
	int r = x509_write_key(key, &pem, err);

	return r ? r : write_one(directory, name, ".key", &pem, 0600, err);
}

/* etcd runs as a uid of its own: its group may read the key. Without the right to give it away (a test run by an
 * ordinary user) the file stays the caller's. */
static int give_to_etcd(const char *directory, const char *name, struct err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s.key", directory, name);
	if (geteuid() != 0)
		return 0;
	if (chown(path, 0, ETCD_UID) < 0 || chmod(path, 0640) < 0)
		return err_errno(err, "%s: owner", path);
	return 0;
}

static int write_authorities(const struct cluster *cluster, const struct pki *pki, const char *directory,
			     struct err *err)
{
	_cleanup_(buf_free) struct buf public_key = {0};
	int r = write_certificate(directory, "ca", pki->authorities[CLUSTER_CA].certificate, err);

	if (r || !cluster_has_control_plane(cluster))
		return r;
	/* The controller manager signs with the cluster CA's key; nobody on a running node signs with the other two. */
	r = write_key(directory, "ca", pki->authorities[CLUSTER_CA].key, err);
	if (!r)
		r = write_certificate(directory, "etcd/ca", pki->authorities[ETCD_CA].certificate, err);
	if (!r)
		r = write_certificate(directory, "front-proxy-ca", pki->authorities[FRONT_PROXY_CA].certificate, err);
	if (!r)
		r = write_key(directory, "sa", pki->service_account, err);
	if (!r)
		r = x509_write_public_key(pki->service_account, &public_key, err);
	return r ? r : write_one(directory, "sa", ".pub", &public_key, 0644, err);
}

int pki_write(const struct cluster *cluster, const struct pki *pki, const char *directory, struct err *err)
{
	int r = write_authorities(cluster, pki, directory, err);

	for (int i = 0; !r && i < PKI_LEAVES; i++) {
		struct pki_leaf_plan plan;

		if (!pki->leaves[i].certificate)
			continue;
		r = pki_leaf_plan(cluster, (enum pki_leaf)i, &plan, err);
		if (!r)
			r = write_certificate(directory, plan.path, pki->leaves[i].certificate, err);
		if (!r)
			r = write_key(directory, plan.path, pki->leaves[i].key, err);
		if (!r && plan.etcd_reads)
			r = give_to_etcd(directory, plan.path, err);
	}
	return r ? err_wrap(err, r, "PKI") : 0;
}
