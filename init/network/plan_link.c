/* Decide addresses and routes from a lease.
 *
 * Option 121 present: option 3 is ignored (RFC 3442). A gateway of 0.0.0.0 is the link itself; such routes come first,
 * since others may have their gateway there (address /32 of Google's and other clouds).
 */
#include "network/plan_link.h"

#include <string.h>

static bool reaches(const struct link_plan *plan, uint32_t via)
{
	if ((via & prefix_mask(plan->prefix)) == (plan->address & prefix_mask(plan->prefix)))
		return true;
	for (uint32_t i = 0; i < plan->route_count; i++) {
		const struct planned_route *r = &plan->routes[i];

		if (!r->via && r->prefix && (via & prefix_mask(r->prefix)) == r->to)
			return true;
	}
	return false;
}

static void add_route(struct link_plan *plan, uint32_t to, uint32_t prefix, uint32_t via)
{
	struct planned_route *route;

	for (uint32_t i = 0; i < plan->route_count; i++)
		if (plan->routes[i].to == to && plan->routes[i].prefix == prefix)
			return; /* the first one counts */
	if (via == plan->address)
		return;
	route = &plan->routes[plan->route_count];
	*route = (struct planned_route){to, prefix, via, via && !reaches(plan, via)};
	plan->route_count++;
	if (!prefix)
		plan->gateway = via;
}

void plan_link(const struct lease *lease, uint32_t metric, struct link_plan *plan)
{
	memset(plan, 0, sizeof *plan);
	plan->address = lease->address;
	plan->prefix = lease->prefix;
	plan->seconds = lease->seconds;
	plan->metric = metric;
	plan->mtu = lease->mtu;
	for (uint32_t i = 0; i < lease->route_count; i++)
		if (!lease->routes[i].via)
			add_route(plan, lease->routes[i].to, lease->routes[i].prefix, 0);
	for (uint32_t i = 0; i < lease->route_count; i++)
		if (lease->routes[i].via)
			add_route(plan, lease->routes[i].to, lease->routes[i].prefix, lease->routes[i].via);
	if (!lease->route_count && lease->router_count)
		add_route(plan, 0, 0, lease->routers[0]);
}

bool same_plan(const struct link_plan *a, const struct link_plan *b)
{
	if (a->address != b->address || a->prefix != b->prefix || a->metric != b->metric || a->mtu != b->mtu ||
	    a->route_count != b->route_count)
		return false;
	for (uint32_t i = 0; i < a->route_count; i++) {
		const struct planned_route *x = &a->routes[i], *y = &b->routes[i];

		if (x->to != y->to || x->prefix != y->prefix || x->via != y->via || x->onlink != y->onlink)
			return false;
	}
	return true;
}

void plan_text(const struct link_plan *plan, struct buf *text)
{
	if (plan->mtu)
		buf_addf(text, "mtu %u\n", plan->mtu);
	buf_addf(text, "address %s/%u for %u s\n", ADDRESS(plan->address), plan->prefix, plan->seconds);
	for (uint32_t i = 0; i < plan->route_count; i++) {
		const struct planned_route *r = &plan->routes[i];

		buf_addf(text, "route %s/%u", ADDRESS(r->to), r->prefix);
		if (r->via)
			buf_addf(text, " via %s", ADDRESS(r->via));
		buf_addf(text, "%s metric %u from %s\n", r->onlink ? " onlink" : "", plan->metric,
			 ADDRESS(plan->address));
	}
}
