/* The Node object: is it Ready, and which labels the admin gives it.
 *
 * After a reboot etcd still holds the Ready of the last boot until the kubelet writes again: only a status with this
 * boot's id counts.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cluster/json_build.h"
#include "cluster/node.h"
#include "cluster/node_labels.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/utf8.h"

static json_t *ready_condition(const json_t *status)
{
	json_t *condition;
	size_t i;

	json_array_foreach (json_object_get(status, "conditions"), i, condition) {
		const char *type = json_string_value(json_object_get(condition, "type"));

		if (type && !strcmp(type, "Ready"))
			return condition;
	}
	return NULL;
}

void node_status_read(const json_t *node, const char *boot_id, struct node_status *status)
{
	const json_t *of_node = json_object_get(node, "status");
	const char *its_boot = json_string_value(json_object_get(json_object_get(of_node, "nodeInfo"), "bootID"));
	json_t *condition = ready_condition(of_node);
	const char *value = json_string_value(json_object_get(condition, "status"));
	const char *message = json_string_value(json_object_get(condition, "message"));
	const char *reason = json_string_value(json_object_get(condition, "reason"));

	memset(status, 0, sizeof *status);
	status->exists = node != NULL;
	if (!its_boot || strcmp(its_boot, boot_id)) {
		snprintf(status->message, sizeof status->message, "the kubelet has not reported since this boot");
		return;
	}
	status->ready = value && !strcmp(value, "True");
	if (!message || !*message)
		message = reason ? reason : "the kubelet says nothing";
	snprintf(status->message, sizeof status->message, "%s", message);
	utf8_printable(status->message);
}

static int read_boot_id(char *text, size_t size, struct err *err)
{
	_cleanup_(buf_free) struct buf buf = {0};
	int r = file_read("/proc/sys/kernel/random/boot_id", 100, &buf, err);

	snprintf(text, size, "%.*s", (int)strcspn(buf_string(&buf), "\n"), buf_string(&buf));
	return r;
}

int node_status_get(struct node_api *api, const char *name, struct node_status *status, struct err *err)
{
	_cleanup_(json_decrefp) json_t *node = NULL;
	char boot_id[64], path[400];
	int r = read_boot_id(boot_id, sizeof boot_id, err);

	if (r < 0)
		return r;
	snprintf(path, sizeof path, "/api/v1/nodes/%s", name);
	r = node_api_get(api, path, &node, err);
	if (r == -ENOENT) {
		memset(status, 0, sizeof *status);
		snprintf(status->message, sizeof status->message, "the kubelet has not registered it yet");
		return 0;
	}
	if (!r)
		node_status_read(node, boot_id, status);
	return r;
}

int node_label(struct node_api *api, const struct cluster *cluster, struct err *err)
{
	_cleanup_(json_decrefp) json_t *patch = node_labels_patch(cluster);
	char path[400];

	snprintf(path, sizeof path, "/api/v1/nodes/%s", cluster->node_name);
	return node_api_merge(api, path, patch, err);
}
