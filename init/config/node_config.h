/* What the node is: the one struct that `keelson config` makes and every later step reads.
 *
 * It is applied once per boot and handed on as /run/keelson/node.json (written atomically, mode 0600: it may hold a
 * CA key). Every string is owned by the struct; every default is already filled in, so that readers never decide one.
 */
#ifndef KEELSON_NODE_CONFIG_H
#define KEELSON_NODE_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define NODE_CONFIG_PATH "/run/keelson/node.json"

enum role { ROLE_SINGLE, ROLE_CONTROL_PLANE, ROLE_WORKER };
enum pod_network { POD_NETWORK_VXLAN, POD_NETWORK_ROUTES, POD_NETWORK_BRIDGE, POD_NETWORK_NONE };
enum on_failure { ON_FAILURE_KEEP, ON_FAILURE_REVERT };

struct string_list {
	char **items;
	size_t count;
};

struct node_config {
	char *instance_id;
	char *hostname; /* given, or node-XXXXXX made from the machine id; never NULL, never renamed later */
	char *source;	/* where it came from: "NoCloud on /dev/sr0", "last known good" */
	enum role role;
	struct {
		char *name, *endpoint; /* endpoint NULL: this node */
		char *pod_cidr, *service_cidr, *dns_domain;
		enum pod_network network;
		char *token;		       /* NULL: none */
		char *ca_certificate, *ca_key; /* PEM or NULL: made on the node */
		struct string_list cert_sans;
		json_t *api_server_args, *controller_manager_args, *scheduler_args, *etcd_args; /* objects of strings */
		struct string_list etcd_join;
		json_t *manifests; /* array of {url} or {content} */
	} cluster;
	struct {
		json_t *config; /* object: KubeletConfiguration fields, merged over ours */
		json_t *labels; /* object of strings */
		struct string_list taints;
	} kubelet;
	json_t *registries; /* object: registry -> {mirrors: [url]} */
	json_t *sysctls;    /* object of strings */
	json_t *modules;    /* array of {name, options} */
	struct {
		bool enabled;
		struct string_list servers, pools; /* both empty: what DHCP says */
	} ntp;
	json_t *api, *upgrade, *install; /* objects, as given, checked */
	bool console_shell;
	enum on_failure on_failure;
};

/* Read what `keelson config` applied. The caller frees with node_config_free. Returns 0 or negative errno. */
int node_config_load(const char *path, struct node_config **config, struct err *err);

/* Hand it on to the later steps. */
int node_config_save(const char *path, const struct node_config *config, struct err *err);

/* The same from JSON in hand. Fields left out are empty; a string that must be there, or a word nobody knows, is
 * -EINVAL. */
int node_config_from_json(const json_t *top, struct node_config **config, struct err *err);

void node_config_free(struct node_config *config);
void node_config_freep(struct node_config **config);

const char *role_name(enum role role); /* "single", "control-plane", "worker" */

#endif
