/* The shape that all static pods share. */
#ifndef KEELSON_CLUSTER_STATIC_POD_H
#define KEELSON_CLUSTER_STATIC_POD_H

#include <jansson.h>
#include <stdbool.h>

#include "cluster/cluster.h"

struct static_mount {
	const char *name;
	const char *host_path;
	const char *mount_path; /* NULL: as host_path */
	const char *type;	/* Directory, File, FileOrCreate, DirectoryOrCreate; NULL: not checked */
	bool writable;
};

struct static_pod {
	const char *name;			/* "kube-apiserver": pod, container and label component */
	json_t *command;			/* taken over */
	const struct static_mount *mounts;	/* ends with a NULL name; /usr is added by itself */
	json_t *resources;			/* requests, taken over */
	json_t *liveness, *readiness, *startup; /* taken over; NULL: none */
	json_t *security;			/* of the container, taken over */
	json_t *annotations;			/* taken over; NULL: none */
};

/* Put together; what is taken over belongs to the result. */
json_t *static_pod_build(const struct cluster *cluster, const struct static_pod *pod);

struct static_probe {
	const char *host, *path, *scheme;
	int port;
};

/* kubeadm's three probes: 8, 3 and 24 failures, every 10 s, 1 s and 10 s. */
json_t *static_liveness(const struct static_probe *probe);
json_t *static_readiness(const struct static_probe *probe);
json_t *static_startup(const struct static_probe *probe);

/* No privilege to gain, no capability kept. uid < 0: the image's (root). */
json_t *static_security(int uid);

#endif
