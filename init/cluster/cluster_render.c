/* The whole step: authorities, leaf certificates, documents; everything is in memory before the first byte is written.
 */
#include "cluster/cluster_render.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/documents.h"
#include "cluster/pki.h"
#include "lib/cleanup.h"
#include "lib/file.h"

/* etcd's directory belongs to etcd; what DESIGN reserves on the file system is reserved for this uid. */
static int prepare_etcd_directory(const char *root, struct err *err)
{
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof path, "%s/var/lib/etcd", root);
	r = make_directories(path, 0700, err);
	if (r < 0 || geteuid() != 0)
		return r;
	if (chown(path, ETCD_UID, ETCD_UID) < 0 || chmod(path, 0700) < 0)
		return err_errno(err, "%s: owner", path);
	return 0;
}

int cluster_render(const struct cluster *cluster, const char *saved, const char *root, struct err *err)
{
	_cleanup_(pki_free) struct pki pki = {0};
	_cleanup_(documents_free) struct documents documents = {0};
	char directory[PATH_MAX];
	int r = pki_load_authorities(cluster, saved, &pki, err);

	if (!r)
		r = pki_make_leaves(cluster, &pki, err);
	if (!r)
		r = documents_render(cluster, &pki, &documents, err);
	snprintf(directory, sizeof directory, "%s%s", root, PKI_DIRECTORY);
	if (!r)
		r = pki_write(cluster, &pki, directory, err);
	if (!r && cluster_has_control_plane(cluster))
		r = prepare_etcd_directory(root, err);
	if (!r)
		r = documents_write(&documents, root, err);
	return r;
}
