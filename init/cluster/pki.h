/* The cluster's keys: authorities that persist, leaf certificates that are new at every rendering. */
#ifndef KEELSON_CLUSTER_PKI_H
#define KEELSON_CLUSTER_PKI_H

#include "cluster/cluster.h"
#include "cluster/pki_names.h"
#include "lib/x509.h"

struct pki {
	struct x509_pair authorities[PKI_AUTHORITIES];
	EVP_PKEY *service_account;
	struct x509_pair leaves[PKI_LEAVES]; /* certificate NULL: not wanted here */
};

/* Make the authorities in SAVED once: in a directory beside it, synced, renamed. What is there is never replaced, and
 * an incomplete directory is an error that names the missing file: making a new CA would lock everybody out. A CA
 * given in the configuration is used instead of the saved cluster CA, which then is not made.
 * On a worker only the configured CA certificate is read. */
int pki_load_authorities(const struct cluster *cluster, const char *saved, struct pki *pki, struct err *err);

/* Make all leaf certificates that this node wants, in memory. */
int pki_make_leaves(const struct cluster *cluster, struct pki *pki, struct err *err);

/* Write certificates and keys where kubeadm has them, below DIRECTORY. etcd's are readable by etcd's gid. */
int pki_write(const struct cluster *cluster, const struct pki *pki, const char *directory, struct err *err);

void pki_free(struct pki *pki);

#endif
