/* Apply manifests: discovery says the path of a kind, server-side apply does the rest.
 *
 * Source: kubernetes.io, "Server-Side Apply" (on by default from 1.16, general from 1.22).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/manifest_identity.h"
#include "cluster/node_api.h"

/* What there is in this group and version; asked once while documents stay in it. */
static int discover(struct node_api *api, const char *api_version, bool again, struct err *err)
{
	char path[200];
	json_t *list = NULL;
	int r;

	snprintf(path, sizeof path, strchr(api_version, '/') ? "/apis/%s" : "/api/%s", api_version);
	if (!again && api->resources && !strcmp(api->discovered, path))
		return 0;
	r = node_api_get(api, path, &list, err);
	if (r < 0)
		return r;
	json_decref(api->resources);
	api->resources = list;
	snprintf(api->discovered, sizeof api->discovered, "%s", path);
	return 0;
}

static json_t *find_kind(const struct node_api *api, const char *kind)
{
	json_t *resource;
	size_t i;

	json_array_foreach (json_object_get(api->resources, "resources"), i, resource) {
		const char *name = json_string_value(json_object_get(resource, "name"));
		const char *its_kind = json_string_value(json_object_get(resource, "kind"));

		if (name && its_kind && !strchr(name, '/') && !strcmp(its_kind, kind))
			return resource;
	}
	return NULL;
}

static int apply_path(struct node_api *api, const struct manifest_identity *identity, char *path, size_t size,
		      struct err *err)
{
	const char *namespace = identity->namespace[0] ? identity->namespace : "default";
	int r = discover(api, identity->api_version, false, err);
	json_t *resource = r ? NULL : find_kind(api, identity->kind);

	if (!r && !resource) {
		r = discover(api, identity->api_version, true, err); /* a definition may just have been applied */
		resource = r ? NULL : find_kind(api, identity->kind);
	}
	if (r < 0)
		return r;
	if (!resource)
		return err_set(err, ENOENT, "the API server knows no kind %s in %s", identity->kind,
			       identity->api_version);
	if (json_is_true(json_object_get(resource, "namespaced")))
		snprintf(path, size, "%s/namespaces/%s/%s/%s?fieldManager=keelson&force=true", api->discovered,
			 namespace, json_string_value(json_object_get(resource, "name")), identity->name);
	else
		snprintf(path, size, "%s/%s/%s?fieldManager=keelson&force=true", api->discovered,
			 json_string_value(json_object_get(resource, "name")), identity->name);
	return 0;
}

int node_api_apply(struct node_api *api, const char *document, size_t len, struct err *err)
{
	struct manifest_identity identity;
	char path[800];
	int r = manifest_identity_read(document, len, &identity, err);

	if (r <= 0)
		return r;
	r = apply_path(api, &identity, path, sizeof path, err);
	if (!r)
		r = node_api_send_apply(api, path, document, len, err);
	return r ? err_wrap(err, r, "apply %s %s", identity.kind, identity.name) : 0;
}

int node_api_apply_all(struct node_api *api, const char *documents, struct err *err)
{
	const char *document;
	unsigned number = 1;
	size_t len;

	while ((documents = manifest_next(documents, &len, &document))) {
		int r = node_api_apply(api, document, len, err);

		if (r < 0)
			return err_wrap(err, r, "document %u", number);
		number++;
	}
	return 0;
}
