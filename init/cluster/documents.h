/* Everything the cluster step writes beside keys: rendered first, written only when all of it could be rendered. */
#ifndef KEELSON_CLUSTER_DOCUMENTS_H
#define KEELSON_CLUSTER_DOCUMENTS_H

#include <limits.h>
#include <sys/types.h>

#include "cluster/cluster.h"
#include "cluster/pki.h"
#include "lib/buf.h"
#include "lib/err.h"

struct document {
	char path[256];
	mode_t mode;
	struct buf text;
};

struct documents {
	struct document items[48];
	size_t count;
};

int documents_render(const struct cluster *cluster, const struct pki *pki, struct documents *documents,
		     struct err *err);

/* Write all, each atomically, below ROOT ("" on a node). A manifest that is held back goes to held/ unless it was
 * handed over before: then it is replaced where it is. */
int documents_write(const struct documents *documents, const char *root, struct err *err);

void documents_free(struct documents *documents);

#endif
