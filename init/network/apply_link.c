/* Carry out the plan of a link. */
#include "network/apply_link.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "network/rtnetlink.h"

static struct rtnl_route as_route(const struct link_plan *plan, const struct planned_route *route)
{
	return (struct rtnl_route){.to = route->to,
				   .prefix = route->prefix,
				   .via = route->via,
				   .from = plan->address,
				   .metric = plan->metric,
				   .onlink = route->onlink};
}

static bool keeps_route(const struct link_plan *plan, const struct planned_route *route)
{
	for (uint32_t i = 0; plan && i < plan->route_count; i++)
		if (plan->routes[i].to == route->to && plan->routes[i].prefix == route->prefix)
			return true; /* it is replaced in place */
	return false;
}

static int take_away(int rtnl, int ifindex, const struct link_plan *was, const struct link_plan *plan, struct err *err)
{
	int r = 0, last = 0;

	for (uint32_t i = was->route_count; i-- > 0;) {
		struct rtnl_route route = as_route(was, &was->routes[i]);

		if (!keeps_route(plan, &was->routes[i]) && (r = rtnl_remove_route(rtnl, ifindex, &route, err)) < 0)
			last = r;
	}
	if (!plan || plan->address != was->address || plan->prefix != was->prefix) {
		r = rtnl_remove_address(rtnl, ifindex, was->address, was->prefix, err);
		if (r < 0)
			last = r;
	}
	return last;
}

int apply_link(int rtnl, int ifindex, const struct link_plan *was, const struct link_plan *plan, struct err *err)
{
	int r = 0, last = 0;

	if (was)
		last = take_away(rtnl, ifindex, was, plan, err);
	if (!plan)
		return last;
	if (plan->mtu && (!was || was->mtu != plan->mtu) && (r = rtnl_link_mtu(rtnl, ifindex, plan->mtu, err)) < 0)
		last = r;
	r = rtnl_set_address(rtnl, ifindex, plan->address, plan->prefix, plan->seconds, plan->metric, err);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < plan->route_count; i++) {
		struct rtnl_route route = as_route(plan, &plan->routes[i]);

		r = rtnl_set_route(rtnl, ifindex, &route, err);
		if (r < 0)
			last = r;
	}
	return last;
}

static int parse_prefix(const char *text, struct rtnl_route *route)
{
	const char *slash = strchr(text, '/');
	char *end;
	unsigned long prefix;

	if (!slash || parse_address(text, (size_t)(slash - text), &route->to) < 0)
		return -EINVAL;
	prefix = strtoul(slash + 1, &end, 10);
	if (*end || prefix < 1 || prefix > 32)
		return -EINVAL;
	route->prefix = (uint32_t)prefix;
	route->to &= prefix_mask(route->prefix);
	return 0;
}

/* The dummy link, up. A kernel without such links has lo, which is as good for what only this node uses. */
static int own_link(int rtnl, struct err *err)
{
	int r = rtnl_add_dummy(rtnl, FALLBACK_LINK, err), index = (int)if_nametoindex(r < 0 ? "lo" : FALLBACK_LINK);

	if (!index)
		return r < 0 ? r : err_errno(err, "find %s", FALLBACK_LINK);
	r = rtnl_link_up(rtnl, index, err);
	return r < 0 ? r : index;
}

int apply_service_route(int rtnl, uint32_t from, const char *service_cidr, struct err *err)
{
	struct rtnl_route services = {.metric = FALLBACK_METRIC, .from = from};
	int index;

	if (!service_cidr || parse_prefix(service_cidr, &services) < 0)
		return 0;
	index = own_link(rtnl, err);
	return index < 0 ? index : rtnl_set_route(rtnl, index, &services, err);
}

int apply_fallback(int rtnl, const char *service_cidr, struct err *err)
{
	int index = own_link(rtnl, err), r;

	if (index < 0)
		return index;
	r = rtnl_set_address(rtnl, index, FALLBACK_ADDRESS, 32, UINT32_MAX, FALLBACK_METRIC, err);
	return r < 0 ? r : apply_service_route(rtnl, FALLBACK_ADDRESS, service_cidr, err);
}
