/* The authorities and the service-account key: made once, kept on the state partition.
 *
 * A power cut during the making leaves the directory beside, never a half-made PKI: every file and directory is
 * synced before the one rename.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/pki.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define PEM_BYTES 65536

void pki_free(struct pki *pki)
{
	for (int i = 0; i < PKI_AUTHORITIES; i++)
		x509_pair_free(&pki->authorities[i]);
	for (int i = 0; i < PKI_LEAVES; i++)
		x509_pair_free(&pki->leaves[i]);
	x509_key_freep(&pki->service_account);
}

static int write_pem(const char *directory, const char *name, const char *suffix, const struct buf *pem,
		     struct err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
	return file_write_atomic(path, pem->data, pem->len, 0600, err);
}

static int save_pair(const char *directory, const char *name, const struct x509_pair *pair, struct err *err)
{
	_cleanup_(buf_free) struct buf certificate = {0}, key = {0};
	int r = x509_write_certificate(pair->certificate, &certificate, err);

	if (!r)
		r = x509_write_key(pair->key, &key, err);
	if (!r)
		r = write_pem(directory, name, ".crt", &certificate, err);
	return r ? r : write_pem(directory, name, ".key", &key, err);
}

static int make_one(const struct cluster *cluster, enum pki_authority authority, const char *directory, struct err *err)
{
	_cleanup_(x509_pair_free) struct x509_pair pair = {0};
	struct x509_request request;
	int r;

	pki_authority_request(cluster, authority, &request);
	r = x509_issue(&request, NULL, &pair, err);
	return r ? r : save_pair(directory, pki_authorities[authority].name, &pair, err);
}

static int make_service_account_key(const char *directory, struct err *err)
{
	_cleanup_(x509_key_freep) EVP_PKEY *key = NULL;
	_cleanup_(buf_free) struct buf pem = {0};
	int r = x509_key_make(&key, err);

	if (!r)
		r = x509_write_key(key, &pem, err);
	return r ? r : write_pem(directory, "sa", ".key", &pem, err);
}

/* The directory that a cut left beside: two levels at most, only plain files. */
static void remove_beside(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return;
	while ((entry = readdir(directory))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(dirfd(directory), entry->d_name, 0) < 0) {
			char below[PATH_MAX];

			snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
			remove_beside(below);
		}
	}
	closedir(directory);
	rmdir(path);
}

static int sync_directory(const char *path, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fsync(fd) < 0)
		return err_errno(err, "sync %s", path);
	return 0;
}

static int make_all(const struct cluster *cluster, const char *saved, struct err *err)
{
	char beside[PATH_MAX], parent[PATH_MAX], *slash;
	int r = 0;

	snprintf(beside, sizeof beside, "%s.new", saved);
	snprintf(parent, sizeof parent, "%s", saved);
	slash = strrchr(parent, '/');
	if (slash)
		*slash = 0;
	remove_beside(beside);
	r = make_directories(beside, 0700, err);
	for (int i = 0; !r && i < PKI_AUTHORITIES; i++)
		if (i != CLUSTER_CA || !cluster->config->cluster.ca_certificate)
			r = make_one(cluster, (enum pki_authority)i, beside, err);
	if (!r)
		r = make_service_account_key(beside, err);
	if (!r)
		r = sync_directory(beside, err);
	if (!r && rename(beside, saved) < 0)
		r = err_errno(err, "rename %s to %s", beside, saved);
	return r ? r : sync_directory(parent, err);
}

static int read_pem(const char *directory, const char *name, const char *suffix, struct buf *pem, struct err *err)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/%s%s", directory, name, suffix);
	return file_read(path, PEM_BYTES, pem, err);
}

static int load_saved(const char *directory, const char *name, struct x509_pair *pair, struct err *err)
{
	_cleanup_(buf_free) struct buf certificate = {0}, key = {0};
	int r = read_pem(directory, name, ".crt", &certificate, err);

	if (!r)
		r = read_pem(directory, name, ".key", &key, err);
	if (!r)
		r = x509_read(buf_string(&certificate), buf_string(&key), pair, err);
	return r ? err_wrap(err, r, "%s/%s", directory, name) : 0;
}

static int load_given(const struct cluster *cluster, struct x509_pair *pair, struct err *err)
{
	const struct node_config *config = cluster->config;
	bool key_needed = cluster_has_control_plane(cluster);
	int r;

	if (key_needed && !config->cluster.ca_key)
		return err_set(err, EINVAL, "keelson.cluster.ca.key: expected the CA's private key on a %s, found none",
			       role_name(config->role));
	r = x509_read(config->cluster.ca_certificate, key_needed ? config->cluster.ca_key : NULL, pair, err);
	if (!r && !x509_is_authority(pair->certificate))
		r = err_set(err, EINVAL, "expected the certificate of an authority (CA:TRUE)");
	return r ? err_wrap(err, r, "keelson.cluster.ca") : 0;
}

static int load_all(const struct cluster *cluster, const char *saved, struct pki *pki, struct err *err)
{
	_cleanup_(buf_free) struct buf key = {0};
	int r = 0;

	for (int i = 0; !r && i < PKI_AUTHORITIES; i++) {
		if (i == CLUSTER_CA && cluster->config->cluster.ca_certificate)
			r = load_given(cluster, &pki->authorities[i], err);
		else
			r = load_saved(saved, pki_authorities[i].name, &pki->authorities[i], err);
	}
	if (!r)
		r = read_pem(saved, "sa", ".key", &key, err);
	if (!r)
		r = x509_read_key(buf_string(&key), &pki->service_account, err);
	return r;
}

int pki_load_authorities(const struct cluster *cluster, const char *saved, struct pki *pki, struct err *err)
{
	int r = 0;

	if (!cluster_has_control_plane(cluster)) {
		if (!cluster->config->cluster.ca_certificate)
			return err_set(err, EINVAL,
				       "keelson.cluster.ca.certificate: expected the cluster's CA on a worker");
		return load_given(cluster, &pki->authorities[CLUSTER_CA], err);
	}
	if (access(saved, F_OK) < 0)
		r = make_all(cluster, saved, err);
	if (!r)
		r = load_all(cluster, saved, pki, err);
	return r ? err_wrap(err, r, "PKI") : 0;
}
