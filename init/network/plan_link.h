/* What a lease means for its link. */
#ifndef KEELSON_PLAN_LINK_H
#define KEELSON_PLAN_LINK_H

#include <stdbool.h>

#include "lib/buf.h"
#include "network/lease.h"

struct planned_route {
	uint32_t to, prefix, via; /* via 0: on the link */
	bool onlink; /* the gateway lies in no network of ours: the kernel is to believe that it is there */
};

struct link_plan {
	uint32_t address, prefix, seconds, metric, mtu;
	uint32_t route_count, gateway;		       /* gateway: of the default route; 0: none */
	struct planned_route routes[LEASE_ROUTES + 1]; /* those on the link first */
};

/* Pure. metric tells the links apart: the lower one is asked first. */
void plan_link(const struct lease *lease, uint32_t metric, struct link_plan *plan);

/* Is there anything to change beside the time the address has left? */
bool same_plan(const struct link_plan *a, const struct link_plan *b);

/* As a person reads it, one line for each thing that is done. */
void plan_text(const struct link_plan *plan, struct buf *text);

#endif
