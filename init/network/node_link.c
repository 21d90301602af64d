/* What happens to a link: a cable, a client, a lease. */
#include "network/node_link.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/story.h"
#include "network/apply_link.h"
#include "network/find_links.h"
#include "network/rtnetlink.h"

#define METRIC_FIRST 1024

struct node_link *link_by_index(struct node_network *network, int ifindex)
{
	for (size_t i = 0; i < network->count; i++)
		if (network->links[i].ifindex == ifindex)
			return &network->links[i];
	return NULL;
}

static void start_client(struct node_network *network, struct node_link *link)
{
	struct dhcp_client client = {0};
	unsigned char mac[6] = {0};
	char id[CLIENT_ID_TEXT];
	struct err err;

	link_address(network->sys, link->name, mac);
	client_id(network->machine_id, mac, id);
	dhcp_client_plan(&client, link->name, id, network->hostname);
	link->answered = false;
	link->asked_at = boot_ms();
	if (child_start(&link->client, client.argv, &err) < 0)
		story("%s: %s", link->name, err.text);
}

/* The metric stays that of the place, so that the order of routes does not depend on which server is faster. */
static uint32_t free_metric(const struct node_network *network)
{
	uint32_t metric = METRIC_FIRST;

	for (size_t i = 0; i < network->count; i++)
		if (network->links[i].metric == metric) {
			metric++;
			i = (size_t)-1;
		}
	return metric;
}

/* 0 where it cannot be read: a link that is down has no carrier either. */
static uint32_t read_number(const char *sys, const char *name, const char *attribute)
{
	_cleanup_(buf_free) struct buf value = {0};
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s/class/net/%s/%s", sys, name, attribute);
	return file_read(path, 16, &value, NULL) < 0 ? 0 : (uint32_t)strtoul(buf_string(&value), NULL, 10);
}

void link_add(struct node_network *network, const char *name, int ifindex)
{
	struct node_link *link;
	struct err err;

	if (network->count == LINKS_MAX) {
		story("%s is left alone: more than %d network cards", name, LINKS_MAX);
		return;
	}
	link = &network->links[network->count];
	*link = (struct node_link){.ifindex = ifindex,
				   .metric = free_metric(network),
				   .client = WATCHED_CHILD_NONE,
				   .grace_ms = carrier_grace_ms(network->sys, name),
				   .mtu = read_number(network->sys, name, "mtu")};
	snprintf(link->name, sizeof link->name, "%s", name);
	network->count++;
	if (rtnl_link_up(network->rtnl, ifindex, &err) < 0)
		story("%s: %s", name, err.text);
	link_carrier(network, link, read_number(network->sys, name, "carrier") == 1);
}

static void drop_lease(struct node_network *network, struct node_link *link)
{
	struct err err;

	if (!link->leased)
		return;
	link->leased = false;
	network->changed = true;
	if (apply_link(network->rtnl, link->ifindex, &link->plan, NULL, &err) < 0)
		story("%s: %s", link->name, err.text);
}

void link_remove(struct node_network *network, int ifindex)
{
	struct node_link *link = link_by_index(network, ifindex);

	if (!link)
		return;
	story("%s is gone", link->name);
	child_stop(&link->client);
	network->changed |= link->leased;
	network->count--;
	*link = network->links[network->count];
}

/* A cable that comes back may lead elsewhere: ask anew. The address stays meanwhile, for it mostly does not. */
void link_carrier(struct node_network *network, struct node_link *link, bool carrier)
{
	if (link->carrier == carrier)
		return;
	link->carrier = carrier;
	if (!carrier) {
		if (link->leased)
			story("%s has no carrier any more, keeps %s", link->name, ADDRESS(link->plan.address));
		return;
	}
	link->client.failures = 0;
	if (link->client.pid > 0)
		child_renew(&link->client);
	else
		start_client(network, link);
}

static void tell_lease(const struct node_link *link)
{
	int64_t took = boot_ms() - link->asked_at;
	char via[2 * ADDRESS_TEXT];

	if (link->plan.gateway)
		snprintf(via, sizeof via, " via %s", ADDRESS(link->plan.gateway));
	else
		snprintf(via, sizeof via, ", no default route");
	story("%s %s/%u%s (DHCP, %d.%02d s)", link->name, ADDRESS(link->plan.address), link->plan.prefix, via,
	      (int)(took / 1000), (int)(took % 1000 / 10));
	if (link->lease.refused)
		story("%s: left out %u values of the lease that cannot be right", link->name, link->lease.refused);
}

static void take_lease(struct node_network *network, struct node_link *link, const struct lease *lease)
{
	bool had = link->leased, same;
	struct link_plan was = link->plan;
	struct err err;

	plan_link(lease, link->metric, &link->plan);
	if (had && was.mtu && !link->plan.mtu)
		link->plan.mtu = link->mtu;
	same = had && same_plan(&was, &link->plan);
	if (apply_link(network->rtnl, link->ifindex, had ? &was : NULL, &link->plan, &err) < 0)
		story("%s: %s", link->name, err.text);
	if (!same || memcmp(&link->lease.dns, &lease->dns, sizeof lease->dns) ||
	    memcmp(&link->lease.ntp, &lease->ntp, sizeof lease->ntp) || strcmp(link->lease.search, lease->search))
		network->changed = true;
	link->lease = *lease;
	link->leased = link->answered = true;
	link->client.failures = 0;
	if (!same)
		tell_lease(link);
}

static void lose_lease(struct node_network *network, struct node_link *link, const struct lease *lease)
{
	(void)lease;
	if (!link->answered || !link->leased) /* each client starts with one, which says nothing */
		return;
	story("%s lost the lease of %s, asking again", link->name, ADDRESS(link->plan.address));
	link->asked_at = boot_ms();
	drop_lease(network, link);
}

static void note(struct node_network *network, struct node_link *link, const struct lease *lease)
{
	(void)network;
	(void)link;
	(void)lease;
}

/* A refusal or the lease's end is followed by a deconfig of its own where the address must go. */
void link_event(struct node_network *network, const struct lease *lease)
{
	static void (*const actions[LEASE_EVENTS])(struct node_network *, struct node_link *, const struct lease *) = {
		[LEASE_DECONFIG] = lose_lease, [LEASE_BOUND] = take_lease,
		[LEASE_RENEW] = take_lease,    [LEASE_NAK] = note,
		[LEASE_FAIL] = note,
	};

	for (size_t i = 0; i < network->count; i++)
		if (!strcmp(network->links[i].name, lease->interface))
			actions[lease->event](network, &network->links[i], lease);
}

void link_child_ended(struct node_network *network, pid_t pid, int status)
{
	char text[SAID_BYTES + 64];

	for (size_t i = 0; i < network->count; i++)
		if (network->links[i].client.pid == pid &&
		    child_ended(&network->links[i].client, status, text, sizeof text))
			story("%s: the DHCP client ended: %s", network->links[i].name, text);
}

void link_start_due(struct node_network *network, int64_t now)
{
	for (size_t i = 0; i < network->count; i++)
		if (child_is_due(&network->links[i].client, now))
			start_client(network, &network->links[i]);
}
