/* Carry out the plan of a link. */
#ifndef KEELSON_APPLY_LINK_H
#define KEELSON_APPLY_LINK_H

#include "network/plan_link.h"

#define FALLBACK_LINK "keelson0"
#define FALLBACK_ADDRESS ((uint32_t)10 << 24 | 255u << 16 | 255u << 8 | 1u) /* 10.255.255.1 */
#define FALLBACK_METRIC 65535

/* From what is there (NULL: nothing) to the plan (NULL: nothing is left). What is in both is not touched. Goes on after
 * an error, which may be one bad route of a server; the last one is returned. */
int apply_link(int rtnl, int ifindex, const struct link_plan *was, const struct link_plan *plan, struct err *err);

/* Without a default route the kernel refuses a packet to a service before kube-proxy's rules get to see it: a route for
 * SERVICE_CIDR ("10.96.0.0/16"; NULL or IPv6: nothing to do) on the dummy link. from: the node's address. */
int apply_service_route(int rtnl, uint32_t from, const char *service_cidr, struct err *err);

/* An address for a node that works alone, and that route. */
int apply_fallback(int rtnl, const char *service_cidr, struct err *err);

#endif
