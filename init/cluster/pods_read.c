/* Which containers run, whose they are, and how long they may take to end. Pure.
 *
 * Source: CRI API, runtime.v1 api.proto: ListContainersResponse, Container; the kubelet's labels and annotations:
 * pkg/kubelet/kuberuntime/labels.go.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "cluster/pods.h"

enum { CONTAINER_ID = 1, CONTAINER_METADATA = 3, CONTAINER_LABELS = 8, CONTAINER_ANNOTATIONS = 9 };

#define DEFAULT_GRACE 30

bool pod_is_static(const char *uid)
{
	return *uid && !strchr(uid, '-');
}

void pods_free(struct pod_containers *containers)
{
	free(containers->items);
	containers->items = NULL;
	containers->count = 0;
}

struct read_container {
	struct pod_container container;
	char name[64];
};

static void take_pair(struct protobuf pair, struct read_container *read)
{
	struct protobuf_field field, key = {0}, value = {0};
	char text[24];

	while (protobuf_next(&pair, &field) == 1) {
		if (field.number == 1)
			key = field;
		if (field.number == 2)
			value = field;
	}
	if (!value.delimited)
		return;
	if (protobuf_is(&key, "io.kubernetes.pod.uid"))
		protobuf_copy(&value, read->container.pod_uid, sizeof read->container.pod_uid);
	if (protobuf_is(&key, "io.kubernetes.pod.namespace"))
		protobuf_copy(&value, read->container.pod_namespace, sizeof read->container.pod_namespace);
	if (protobuf_is(&key, "io.kubernetes.pod.name"))
		protobuf_copy(&value, read->container.pod_name, sizeof read->container.pod_name);
	if (protobuf_is(&key, "io.kubernetes.pod.terminationGracePeriod")) {
		protobuf_copy(&value, text, sizeof text);
		read->container.grace = atoi(text);
	}
}

static int read_one(struct protobuf message, struct read_container *read)
{
	struct protobuf_field field, inner;
	int r;

	memset(read, 0, sizeof *read);
	read->container.grace = DEFAULT_GRACE;
	while ((r = protobuf_next(&message, &field)) == 1) {
		if (field.number == CONTAINER_ID && field.delimited)
			protobuf_copy(&field, read->container.id, sizeof read->container.id);
		if (field.number == CONTAINER_METADATA && field.delimited)
			while (protobuf_next(&field.message, &inner) == 1)
				if (inner.number == 1 && inner.delimited)
					protobuf_copy(&inner, read->name, sizeof read->name);
		if ((field.number == CONTAINER_LABELS || field.number == CONTAINER_ANNOTATIONS) && field.delimited)
			take_pair(field.message, read);
	}
	return r;
}

static void classify(struct read_container *read)
{
	struct pod_container *container = &read->container;
	int max;

	container->turn = TURN_ORDINARY;
	if (pod_is_static(container->pod_uid))
		container->turn = strcmp(read->name, "etcd") ? TURN_CONTROL_PLANE : TURN_ETCD;
	if (container->grace < 0)
		container->grace = 0;
	max = container->turn == TURN_ORDINARY ? PODS_GRACE_MAX : CONTROL_PLANE_GRACE_MAX;
	if (container->grace > max)
		container->grace = max;
}

int pods_read(struct protobuf response, struct pod_containers *containers, struct err *err)
{
	struct protobuf_field field;
	int r;

	while ((r = protobuf_next(&response, &field)) == 1) {
		struct read_container read;
		struct pod_container *items;

		if (field.number != 1 || !field.delimited)
			continue;
		if (read_one(field.message, &read) < 0)
			return err_set(err, EBADMSG, "CRI: expected a container, found something else");
		if (!read.container.id[0])
			continue;
		classify(&read);
		items = realloc(containers->items, (containers->count + 1) * sizeof *items);
		if (!items)
			return err_set(err, ENOMEM, "containers: out of memory");
		containers->items = items;
		items[containers->count++] = read.container;
	}
	return r < 0 ? err_set(err, EBADMSG, "CRI: expected a list of containers, found something else") : 0;
}

size_t pods_count(const struct pod_containers *containers, enum pod_turn turn, int *grace)
{
	size_t pods = 0;

	*grace = 0;
	for (size_t i = 0; i < containers->count; i++) {
		const struct pod_container *container = &containers->items[i];
		bool seen = false;

		if (container->turn != turn)
			continue;
		*grace = MAX(*grace, container->grace);
		for (size_t j = 0; j < i && !seen; j++)
			seen = containers->items[j].turn == turn &&
			       !strcmp(containers->items[j].pod_uid, container->pod_uid);
		pods += !seen;
	}
	return pods;
}
