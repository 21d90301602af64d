/* The user's manifests: given as text, or fetched, each once per boot. */
#include <errno.h>
#include <string.h>

#include "cluster/node.h"
#include "lib/cleanup.h"

#define MANIFEST_MAX ((size_t)8 << 20)
#define FETCH_TIMEOUT_MS 30000

static int fetch(const char *url, struct http_response *response, struct err *err)
{
	const struct http_options options = {.redirects = 5};
	const struct http_request request = {.url = url, .timeout_ms = FETCH_TIMEOUT_MS, .max_bytes = MANIFEST_MAX};
	_cleanup_(http_client_freep) struct http_client *client = NULL;
	int r = http_client_make(&options, &client, err);

	return r ? r : http_ask_ok(client, &request, response, err);
}

static int apply_one(struct node_api *api, const json_t *manifest, struct err *err)
{
	_cleanup_(http_response_free) struct http_response response = {0};
	const char *content = json_string_value(json_object_get(manifest, "content"));
	const char *url = json_string_value(json_object_get(manifest, "url"));
	int r;

	if (content)
		return node_api_apply_all(api, content, err);
	if (!url)
		return err_set(err, EINVAL, "expected url or content, found neither");
	r = fetch(url, &response, err);
	return r ? r : node_api_apply_all(api, buf_string(&response.body), err);
}

int node_apply_manifests(struct node_api *api, const struct cluster *cluster, size_t *done, struct err *err)
{
	size_t count = json_array_size(cluster->config->cluster.manifests);

	for (; *done < count; (*done)++) {
		int r = apply_one(api, json_array_get(cluster->config->cluster.manifests, *done), err);

		if (r < 0)
			return err_wrap(err, r, "keelson.cluster.manifests: number %zu", *done + 1);
	}
	return 0;
}
