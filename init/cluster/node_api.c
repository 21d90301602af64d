/* Talk to the API server. */
#include "cluster/node_api.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "lib/cleanup.h"

#define ANSWER_MAX ((size_t)4 << 20)
#define REQUEST_TIMEOUT_MS 15000

int node_api_open(const char *server, const struct node_api_identity *identity, struct node_api *api, struct err *err)
{
	const struct http_options options = {
		.ca_file = identity->ca_file,
		.cert_file = identity->cert_file,
		.key_file = identity->key_file,
		.no_proxy = true,
	};

	memset(api, 0, sizeof *api);
	snprintf(api->server, sizeof api->server, "%s", server);
	return http_client_make(&options, &api->client, err);
}

void node_api_close(struct node_api *api)
{
	http_client_free(api->client);
	json_decref(api->resources);
	memset(api, 0, sizeof *api);
}

void node_api_unready(const char *body, char *text, size_t size)
{
	size_t used = 0;

	text[0] = 0;
	for (const char *p = strstr(body, "[-]"); p; p = strstr(p, "[-]")) {
		size_t len = strcspn(p + 3, " \n"), at = MIN(used, size);

		used += (size_t)snprintf(text + at, size - at, "%s%.*s", used ? ", " : "", (int)len, p + 3);
		p += 3;
	}
}

int node_api_ready(struct node_api *api, struct err *err)
{
	_cleanup_(http_response_free) struct http_response response = {0};
	struct http_request request = {.timeout_ms = 5000};
	char url[400], checks[200];
	int r;

	snprintf(url, sizeof url, "%s/readyz", api->server);
	request.url = url;
	r = http_ask_ok(api->client, &request, &response, err);
	if (r == -EAGAIN) {
		node_api_unready(buf_string(&response.body), checks, sizeof checks);
		if (checks[0])
			err_set(err, EAGAIN, "not ready yet: %s", checks);
	}
	return r;
}

static int parse_object(const char *url, const struct http_response *response, json_t **object, struct err *err)
{
	json_error_t error;

	*object = json_loadb(buf_string(&response->body), response->body.len, 0, &error);
	if (!json_is_object(*object)) {
		json_decref(*object);
		return err_set(err, EPROTO, "%s: expected a JSON object, found %s", url,
			       *object ? "another value" : error.text);
	}
	return 0;
}

int node_api_get(struct node_api *api, const char *path, json_t **object, struct err *err)
{
	_cleanup_(http_response_free) struct http_response response = {0};
	struct http_request request = {.timeout_ms = REQUEST_TIMEOUT_MS, .max_bytes = ANSWER_MAX};
	char url[900];
	int r;

	snprintf(url, sizeof url, "%s%s", api->server, path);
	request.url = url;
	r = http_ask_ok(api->client, &request, &response, err);
	return r ? r : parse_object(url, &response, object, err);
}

static int send_patch(struct node_api *api, const char *path, const char *content_type, const void *body, size_t len,
		      struct err *err)
{
	_cleanup_(http_response_free) struct http_response response = {0};
	char url[900], type[100];
	const char *const headers[] = {type, "Accept: application/json", NULL};
	struct http_request request = {.method = "PATCH",
				       .url = url,
				       .headers = headers,
				       .body = body,
				       .body_len = len,
				       .timeout_ms = REQUEST_TIMEOUT_MS,
				       .max_bytes = ANSWER_MAX};

	snprintf(url, sizeof url, "%s%s", api->server, path);
	snprintf(type, sizeof type, "Content-Type: %s", content_type);
	return http_ask_ok(api->client, &request, &response, err);
}

int node_api_merge(struct node_api *api, const char *path, const json_t *patch, struct err *err)
{
	_cleanup_free_ char *text = json_dumps(patch, JSON_COMPACT);

	if (!text)
		return err_set(err, ENOMEM, "PATCH %s: out of memory", path);
	return send_patch(api, path, "application/merge-patch+json", text, strlen(text), err);
}

int node_api_send_apply(struct node_api *api, const char *path, const void *document, size_t len, struct err *err)
{
	return send_patch(api, path, "application/apply-patch+yaml", document, len, err);
}
