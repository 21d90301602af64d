/* What is told while pods end: which of them do not yet. Pure. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cluster/pods.h"
#include "lib/buf.h"
#include "lib/cleanup.h"

#define NAMED_MAX 3

static bool waits(const struct pod_container *const *some, const struct grpc_call *calls, size_t i)
{
	if (calls[i].state != GRPC_WAITING)
		return false;
	for (size_t j = 0; j < i; j++)
		if (calls[j].state == GRPC_WAITING && !strcmp(some[j]->pod_uid, some[i]->pod_uid))
			return false;
	return true;
}

void pods_waiting_text(const struct pod_container *const *some, const struct grpc_call *calls, size_t count,
		       int seconds, char *text, size_t size)
{
	_cleanup_(buf_free) struct buf names = {0};
	int longest = 0;
	size_t pods = 0;

	for (size_t i = 0; i < count; i++) {
		if (calls[i].state == GRPC_WAITING && some[i]->grace > longest)
			longest = some[i]->grace;
		if (!waits(some, calls, i))
			continue;
		if (pods < NAMED_MAX)
			buf_addf(&names, "%s%s/%s", pods ? ", " : "", some[i]->pod_namespace, some[i]->pod_name);
		pods++;
	}
	if (!pods)
		snprintf(text, size, "%s", "");
	else if (pods == 1)
		snprintf(text, size, "waiting for pod %s (%d s of its %d s)", buf_string(&names), seconds, longest);
	else
		snprintf(text, size, "waiting for %zu pods: %s%s (%d s of their %d s)", pods, buf_string(&names),
			 pods > NAMED_MAX ? ", …" : "", seconds, longest);
}
