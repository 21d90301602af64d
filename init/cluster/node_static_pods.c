/* The static pods of this node as the API shows them. The kubelet runs them without the API server and tells it of each
 * only when it next comes by that pod: a minute may pass between "etcd runs" and "the API shows that etcd runs".
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/json_build.h"
#include "lib/manifest_identity.h"
#include "cluster/node.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define MANIFEST_MAX 262144

bool node_static_pod_runs(const json_t *pod, const char *manifest)
{
	const json_t *annotations = json_object_get(json_object_get(pod, "metadata"), "annotations");
	const char *rendered = json_string_value(json_object_get(annotations, RENDERED_ANNOTATION));
	const char *phase = json_string_value(json_object_get(json_object_get(pod, "status"), "phase"));

	/* After a restart etcd still holds the pods of the last boot. */
	if (rendered && !strstr(manifest, rendered))
		return false;
	return phase && !strcmp(phase, "Running");
}

/* Ask for the pod of one manifest. Returns 1 when it runs or is no pod, 0 when not yet. */
static int ask(struct node_api *api, const char *path, const char *node_name, struct manifest_identity *identity,
	       struct err *err)
{
	_cleanup_(json_decrefp) json_t *pod = NULL;
	_cleanup_(buf_free) struct buf text = {0};
	char url[700];
	int r = file_read(path, MANIFEST_MAX, &text, err);

	if (!r)
		r = manifest_identity_read(buf_string(&text), text.len, identity, err);
	if (r < 0)
		return r == -ENOENT ? 1 : r;
	if (!r || strcmp(identity->kind, "Pod"))
		return 1;
	snprintf(url, sizeof url, "/api/v1/namespaces/%s/pods/%s-%s",
		 identity->namespace[0] ? identity->namespace : "default", identity->name, node_name);
	r = node_api_get(api, url, &pod, err);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return node_static_pod_runs(pod, buf_string(&text));
}

static void list(char *names, size_t size, const char *name)
{
	size_t used = strlen(names);

	snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

int node_static_pods(struct node_api *api, const char *manifests, const char *node_name, struct node_static_pods *pods,
		     struct err *err)
{
	DIR *directory = opendir(manifests);
	struct dirent *entry;
	int r = 0;

	memset(pods, 0, sizeof *pods);
	if (!directory)
		return errno == ENOENT ? 0 : err_errno(err, "open %s", manifests);
	while (r >= 0 && (entry = readdir(directory))) {
		struct manifest_identity identity = {.name = ""};
		char path[600];

		if (entry->d_name[0] == '.') /* the kubelet skips these too */
			continue;
		snprintf(path, sizeof path, "%s/%s", manifests, entry->d_name);
		r = ask(api, path, node_name, &identity, err);
		if (r >= 0 && !strcmp(identity.kind, "Pod"))
			pods->count++;
		if (!r)
			list(pods->missing, sizeof pods->missing, identity.name);
	}
	closedir(directory);
	return r < 0 ? r : 0;
}
