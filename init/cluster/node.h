/* The acts of `keelson node`, each in a file of its own; node_main.c puts them in order. */
#ifndef KEELSON_CLUSTER_NODE_H
#define KEELSON_CLUSTER_NODE_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/cluster.h"
#include "cluster/node_api.h"

/* ---- node_wait.c: bounded waiting that tells, every 15 s, what it waits for. PID 1 is told each time that changes,
 * and says it when a request to a slow API server keeps us from doing so. */
struct node_wait {
	const char *what;      /* "the API server at 127.0.0.1:6443" */
	int64_t started, told; /* seconds of CLOCK_BOOTTIME */
	int gives_up;	       /* seconds */
	char status[300];      /* PID 1 was told */
};

struct node_wait node_wait_start(const char *what, int gives_up);
/* Sleep a little and tell when it is time; reason: why it is not yet, or NULL. false when the bound has passed. */
bool node_wait_again(struct node_wait *wait, int sleep_ms, const char *reason);
int64_t node_seconds(void);
void node_sleep_ms(int ms);

/* ---- node_handover.c: give the held manifests to the kubelet. Returns how many, or a negative errno. */
int node_handover(const char *held, const char *manifests, struct err *err);

/* ---- node_status.c: the Node object */
struct node_status {
	bool exists, ready; /* ready: said by the kubelet of this boot */
	char message[300];  /* why not */
};

/* Judge a Node object; boot_id as in /proc/sys/kernel/random/boot_id. Pure. */
void node_status_read(const json_t *node, const char *boot_id, struct node_status *status);
int node_status_get(struct node_api *api, const char *name, struct node_status *status, struct err *err);
int node_label(struct node_api *api, const struct cluster *cluster, struct err *err);

/* ---- node_static_pods.c: the pods of this node's own manifests, as the API shows them */
struct node_static_pods {
	unsigned count;	   /* manifests that are pods */
	char missing[300]; /* those that do not run as the manifest says: "etcd, kube-proxy"; "": none */
};

/* Does the pod run as this manifest (its text) says? Pure. */
bool node_static_pod_runs(const json_t *pod, const char *manifest);
/* Asks for each manifest in the directory; one that cannot be read as a pod's is an error, a missing directory none. */
int node_static_pods(struct node_api *api, const char *manifests, const char *node_name, struct node_static_pods *pods,
		     struct err *err);

/* ---- node_manifests.c: the user's manifests. done: how many of them, from the first, are applied. */
int node_apply_manifests(struct node_api *api, const struct cluster *cluster, size_t *done, struct err *err);

/* ---- node_kubeconfig.c: admin.conf to the virtio-serial port keelson.kubeconfig, with a NUL behind it.
 * Returns 1 written, 0 no such port, -EAGAIN nobody reads there yet, or another negative errno. */
int node_write_kubeconfig(const char *sys_directory, const char *dev_directory, const char *kubeconfig,
			  struct err *err);

/* ---- node_renew.c */
/* Seconds until half of a certificate's year is over; 0 or less: renew. */
int64_t node_renewal_due(int64_t not_after, int64_t now);
/* How long until the certificates of this node must be renewed, by the keelson.crt in PKI_DIRECTORY. */
int node_renewal_check(int64_t *seconds, struct err *err);
/* Render everything anew and restart what holds the old certificates. */
int node_renew(const struct node_config *config, struct cluster *cluster, struct err *err);

#endif
