/* The links of the node, and what is going on with each. */
#ifndef KEELSON_NODE_LINK_H
#define KEELSON_NODE_LINK_H

#include <stdint.h>
#include <sys/types.h>

#include "network/dhcp_client.h"
#include "network/network_files.h"
#include "network/watched_child.h"

struct node_link {
	char name[IFNAMSIZ];
	int ifindex;
	uint32_t metric;
	int grace_ms;
	uint32_t mtu; /* before any lease */
	bool carrier;
	bool answered; /* by a DHCP server, in this life of the client */
	bool leased;
	struct watched_child client;
	int64_t asked_at; /* ms of the boot */
	struct lease lease;
	struct link_plan plan;
};

struct node_network {
	int rtnl;
	const char *sys, *hostname, *machine_id;
	struct node_link links[LINKS_MAX];
	size_t count;
	bool changed; /* the files have to be written again */
};

/* A link of ours appeared: it is brought up, and asks for an address once it has a carrier. */
void link_add(struct node_network *network, const char *name, int ifindex);
void link_remove(struct node_network *network, int ifindex);
struct node_link *link_by_index(struct node_network *network, int ifindex);

void link_carrier(struct node_network *network, struct node_link *link, bool carrier);

/* What dhcp-event sent. */
void link_event(struct node_network *network, const struct lease *lease);

/* A child ended; starts that are due. */
void link_child_ended(struct node_network *network, pid_t pid, int status);
void link_start_due(struct node_network *network, int64_t now);

#endif
