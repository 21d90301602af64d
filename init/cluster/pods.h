/* Stopping pods at shutdown: ordinary ones first, the control plane next, etcd last. */
#ifndef KEELSON_CLUSTER_PODS_H
#define KEELSON_CLUSTER_PODS_H

#include <stdbool.h>
#include <stddef.h>

#include "cluster/grpc_frame.h"
#include "cluster/protobuf.h"
#include "lib/err.h"

/* Seconds until a container is killed, whatever a pod asks for. */
#define PODS_GRACE_MAX 30
#define CONTROL_PLANE_GRACE_MAX 5

enum pod_turn { TURN_ORDINARY, TURN_CONTROL_PLANE, TURN_ETCD, POD_TURNS };

struct pod_container {
	char id[80];
	char pod_uid[40];
	char pod_namespace[64], pod_name[256];
	enum pod_turn turn;
	int grace; /* seconds, at most one of the above */
};

struct pod_containers {
	struct pod_container *items;
	size_t count;
};

/* A pod of the API has a UUID; a static pod's uid is a bare hash. Pure. */
bool pod_is_static(const char *uid);

/* Read a ListContainersResponse of the CRI. Pure. Returns 0, -EBADMSG or -ENOMEM. */
int pods_read(struct protobuf response, struct pod_containers *containers, struct err *err);

/* How many different pods have this turn, and the longest grace among them. Pure. */
size_t pods_count(const struct pod_containers *containers, enum pod_turn turn, int *grace);

/* Of the containers whose call is still waited for: "waiting for pod default/x (10 s of its 30 s)", or for several
 * "waiting for 4 pods: default/x, default/y, default/z, … (10 s of their 30 s)". Without any: "". Pure. */
void pods_waiting_text(const struct pod_container *const *some, const struct grpc_call *calls, size_t count,
		       int seconds, char *text, size_t size);

void pods_free(struct pod_containers *containers);

/* Without containerd: TERM to every process of the pods of this turn below the cgroup directory, wait until they are
 * gone or the seconds are over. Returns how many processes were asked. */
int pods_cgroup_stop(const char *kubepods, enum pod_turn turn, int seconds);

/* Kill what is left below the cgroup directory, at once. */
void pods_cgroup_kill(const char *kubepods);

#endif
