/* Talk to the API server: one connection, our own client certificate, bounded requests. */
#ifndef KEELSON_CLUSTER_NODE_API_H
#define KEELSON_CLUSTER_NODE_API_H

#include <jansson.h>

#include "lib/err.h"
#include "lib/http.h"

struct node_api {
	struct http_client *client;
	char server[300];     /* "https://127.0.0.1:6443" */
	char discovered[200]; /* path of the discovery document below, "" when none */
	json_t *resources;    /* of the last asked group and version */
};

struct node_api_identity {
	const char *ca_file, *cert_file, *key_file;
};

int node_api_open(const char *server, const struct node_api_identity *identity, struct node_api *api, struct err *err);
void node_api_close(struct node_api *api);

/* The checks that /readyz says have failed: "informer-sync, etcd". Pure. */
void node_api_unready(const char *body, char *text, size_t size);

/* Is the server ready? 0, or a negative errno with what it said. */
int node_api_ready(struct node_api *api, struct err *err);

/* GET a JSON object. -ENOENT when there is none. The caller frees. */
int node_api_get(struct node_api *api, const char *path, json_t **object, struct err *err);

/* PATCH with a JSON merge patch. */
int node_api_merge(struct node_api *api, const char *path, const json_t *patch, struct err *err);

/* PATCH with a document to apply. */
int node_api_send_apply(struct node_api *api, const char *path, const void *document, size_t len, struct err *err);

/* Server-side apply of one document (YAML or JSON), field manager "keelson", forced. Namespace "default" where a
 * namespaced document names none. A document of nothing but comments is 0. */
int node_api_apply(struct node_api *api, const char *document, size_t len, struct err *err);

/* Every document of a text, separated by "---" lines; the first failure ends it and names the document. */
int node_api_apply_all(struct node_api *api, const char *documents, struct err *err);

#endif
