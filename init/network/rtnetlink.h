/* The few rtnetlink requests that the node's links need, without a library. */
#ifndef KEELSON_RTNETLINK_H
#define KEELSON_RTNETLINK_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* A socket for requests (groups 0), or for news of links (RTMGRP_LINK, not blocking). Returns the descriptor. */
int rtnl_open(uint32_t groups, struct err *err);

int rtnl_link_up(int rtnl, int ifindex, struct err *err);
int rtnl_link_mtu(int rtnl, int ifindex, uint32_t mtu, struct err *err);

/* A dummy link that exists already is no error. */
int rtnl_add_dummy(int rtnl, const char *name, struct err *err);

/* IPv4 in the host's byte order. seconds: until the kernel takes it away, UINT32_MAX: never.
 * metric: of the route to the network of the address. An address that is there gets the new time. */
int rtnl_set_address(int rtnl, int ifindex, uint32_t address, uint32_t prefix, uint32_t seconds, uint32_t metric,
		     struct err *err);
int rtnl_remove_address(int rtnl, int ifindex, uint32_t address, uint32_t prefix, struct err *err);

struct rtnl_route {
	uint32_t to, prefix, via, from, metric; /* via 0: the link itself; from 0: the kernel chooses */
	bool onlink;
};

int rtnl_set_route(int rtnl, int ifindex, const struct rtnl_route *route, struct err *err);
int rtnl_remove_route(int rtnl, int ifindex, const struct rtnl_route *route, struct err *err);

struct link_news {
	int ifindex;
	bool gone, carrier;
	char name[IFNAMSIZ];
};

/* Pure: go through what a news socket gave, one link at a time. at is moved on. Returns 1, 0 at the end, -EINVAL. */
int rtnl_next_news(const void *data, size_t len, size_t *at, struct link_news *news);

#endif
