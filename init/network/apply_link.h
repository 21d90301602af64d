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

/* An address for a node that works alone, and where it has no default route a route for service addresses
 * ("10.96.0.0/16", or NULL): the kernel must find one before kube-proxy's rules get to see a packet. */
int apply_fallback(int rtnl, const char *service_cidr, struct err *err);

#endif
