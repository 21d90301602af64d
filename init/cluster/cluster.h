/* What every renderer of the cluster step is given: facts, gathered once; renderers are pure functions of them. */
#ifndef KEELSON_CLUSTER_CLUSTER_H
#define KEELSON_CLUSTER_CLUSTER_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdint.h>

#include "cluster/address.h"
#include "config/node_config.h"
#include "lib/err.h"
#include "lib/kubernetes_version.h"

#define API_SERVER_PORT 6443
#define ETCD_UID 901
#define BASE_IMAGE "docker.io/keelson/base:latest"
#define KUBERNETES_DIRECTORY "/etc/kubernetes"
#define PKI_DIRECTORY "/etc/kubernetes/pki"
#define MANIFEST_DIRECTORY "/etc/kubernetes/manifests"
#define HELD_DIRECTORY "/etc/kubernetes/held"
#define SAVED_PKI_DIRECTORY "/var/lib/keelson/pki"
#define RENDERED_ANNOTATION "keelson.io/rendered"
#define CONTAINERD_SOCKET "/run/containerd/containerd.sock"
#define CERTIFICATE_SECONDS (INT64_C(365) * 86400)
#define AUTHORITY_SECONDS (INT64_C(3650) * 86400)

struct cluster {
	const struct node_config *config;
	struct kubernetes_version version;
	char node_name[256]; /* the host name in lower case: the Node's name */
	char node_ip[INET6_ADDRSTRLEN];
	char service_ip[INET6_ADDRSTRLEN]; /* the first of the service range: "kubernetes" */
	char pod_subnet[PREFIX_TEXT];	   /* the first node's share of the pod range */
	unsigned pod_subnet_bits;
	int64_t build_time; /* of the image, in seconds since 1970: NotBefore of every certificate */
	int64_t now;	    /* never before build_time */
	bool on_aws;	    /* the hardware says so: its metadata service may be asked */
	char rendered[24];  /* differs at every rendering, so that renewed certificates restart the pods */
};

struct cluster_facts {
	const char *version; /* of /usr/lib/keelson/kubernetes-version */
	const char *node_ip;
	int64_t build_time, now;
	const char *rendered;
	bool on_aws;
};

/* Derive what follows from configuration and facts. Refuses a version outside the table, an unusable prefix. */
int cluster_derive(const struct node_config *config, const struct cluster_facts *facts, struct cluster *cluster,
		   struct err *err);

/* Gather the facts of this node from /usr and /run, and derive. The config outlives the cluster. */
int cluster_gather(const struct node_config *config, struct cluster *cluster, struct err *err);

bool cluster_has_control_plane(const struct cluster *cluster);

/* Where this node reaches the API: "https://127.0.0.1:6443" on a control plane, else the configured endpoint. */
void cluster_local_server(const struct cluster *cluster, char *text, size_t size);

/* Where others reach the API: the configured endpoint, else this node's address. */
void cluster_public_server(const struct cluster *cluster, char *text, size_t size);

#endif
