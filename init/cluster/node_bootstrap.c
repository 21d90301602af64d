/* Apply what kubeadm puts into a new cluster. */
#include "cluster/node_bootstrap.h"

#include <errno.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define FILE_MAX ((size_t)1 << 20)

static int apply_fixed(struct node_api *api, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	int r = file_read(BOOTSTRAP_MANIFEST, FILE_MAX, &text, err);

	return r ? r : node_api_apply_all(api, buf_string(&text), err);
}

static int apply_tree(struct node_api *api, const json_t *document, struct err *err)
{
	_cleanup_free_ char *text = json_dumps(document, JSON_COMPACT);

	return text ? node_api_apply(api, text, strlen(text), err) : err_set(err, ENOMEM, "out of memory");
}

int node_bootstrap(struct node_api *api, const struct cluster *cluster, struct err *err)
{
	_cleanup_(buf_free) struct buf ca = {0};
	json_t *documents, *document;
	size_t i;
	int r = apply_fixed(api, err);

	if (!r)
		r = file_read(PKI_DIRECTORY "/ca.crt", FILE_MAX, &ca, err);
	if (r < 0)
		return err_wrap(err, r, "bootstrap");
	documents = bootstrap_documents(cluster, buf_string(&ca));
	json_array_foreach (documents, i, document)
		if (!r)
			r = apply_tree(api, document, err);
	json_decref(documents);
	return r ? err_wrap(err, r, "bootstrap") : 0;
}
