/* The files that say what the network is. */
#ifndef KEELSON_NETWORK_FILES_H
#define KEELSON_NETWORK_FILES_H

#include "lib/buf.h"
#include "network/plan_link.h"

#define NETWORK_JSON "/run/keelson/network.json"
#define POD_RESOLV_CONF "/run/keelson/resolv.conf"
#define LINKS_MAX 16

/* A link with a lease. */
struct leased {
	const struct lease *lease;
	const struct link_plan *plan;
};

struct network_view {
	struct leased leased[LINKS_MAX]; /* the one whose default route counts first */
	size_t count;
	uint32_t node_ip; /* chosen once a boot */
	bool fallback;	  /* node_ip is the one on the dummy link */
};

/* Pure. */
void resolv_conf_text(const struct network_view *view, bool search, struct buf *text);
int network_json_text(const struct network_view *view, struct buf *text);

/* old: what /etc/hosts holds; every line that is not ours stays. */
void hosts_text(const char *old, uint32_t node_ip, const char *hostname, struct buf *text);

/* All of them, each atomically, only where the content changed. hostname NULL: /etc/hosts is left alone. */
int write_network_files(const struct network_view *view, const char *hostname, struct err *err);

/* The node's address that an earlier run of this boot chose; 0: none. */
uint32_t chosen_node_ip(const char *network_json, bool *fallback);

#endif
