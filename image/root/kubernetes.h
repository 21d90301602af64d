/* The Kubernetes release of an image, from an archive kubernetes-server-linux-amd64.tar.gz. */
#ifndef KEELSON_KUBERNETES_H
#define KEELSON_KUBERNETES_H

#include "lib/err.h"
#include "lib/kubernetes_version.h"
#include "root/tree.h"

/* Unpack one program of an archive (kubernetes/server/bin/kubelet, kubernetes/test/bin/agnhost) into the cache unless
 * it is there; PATH is given the file. Programs of one archive that are asked for together are read in one pass. */
int kubernetes_programs(const char *archive, const char *folder, const char *const *names, size_t count,
			const char *cache, char directory[PATH_MAX], struct err *err);

/* Put kubelet, the control plane and kube-proxy into the tree, and say which version it is. -ENOTSUP for a release that
 * Keelson cannot render. */
int add_kubernetes(struct tree *tree, const char *archive, const char *cache, struct kubernetes_version *version,
		   struct err *err);

#endif
