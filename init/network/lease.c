/* Read a lease from the variables that udhcpc sets, of which the server chose every byte.
 *
 * A value that is not what it must be is left out and counted; only without a usable address is there no lease.
 * Source: RFC 2131 and 2132, 3397 (search list), 3442 (classless routes: good ones are kept when the tail is bad).
 */
#include "network/lease.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MTU_LEAST 576
#define SECONDS_LEAST 30     /* as udhcpc itself assumes */
#define SECONDS_DEFAULT 3600 /* the same */
#define NAME_MOST 253

static const char *const events[LEASE_EVENTS] = {"deconfig", "bound", "renew", "nak", "leasefail"};

struct word {
	const char *at;
	size_t len;
};

/* The next word of *rest. Returns false at the end. */
static bool next_word(const char **rest, struct word *word)
{
	const char *p = *rest + strspn(*rest, " \t\n");

	word->at = p;
	word->len = strcspn(p, " \t\n");
	*rest = p + word->len;
	return word->len > 0;
}

const char *address_text(uint32_t address, char text[ADDRESS_TEXT])
{
	snprintf(text, ADDRESS_TEXT, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
		 address & 255);
	return text;
}

int parse_address(const char *text, size_t len, uint32_t *address)
{
	char copy[ADDRESS_TEXT];
	struct in_addr in;

	if (len >= sizeof copy)
		return -EINVAL;
	memcpy(copy, text, len);
	copy[len] = 0;
	if (inet_pton(AF_INET, copy, &in) != 1)
		return -EINVAL;
	*address = ntohl(in.s_addr);
	return 0;
}

uint32_t prefix_mask(uint32_t prefix)
{
	return prefix ? ~(uint32_t)0 << (32 - prefix) : 0;
}

/* Not "this network", not loopback, no multicast, nothing reserved: something that another machine can have. */
static bool is_unicast(uint32_t address)
{
	return address >> 24 != 0 && address >> 24 != 127 && address >> 28 < 14;
}

/* What this node itself can have: not link-local (the kubelet refuses it), not its network's first or last. */
static bool is_host(uint32_t address, uint32_t prefix)
{
	uint32_t host = address & ~prefix_mask(prefix);

	if (!is_unicast(address) || address >> 16 == 0xa9fe)
		return false;
	return prefix >= 31 || (host != 0 && host != ~prefix_mask(prefix));
}

static bool parse_number(const char *text, size_t len, uint32_t *value)
{
	uint64_t sum = 0;

	if (!len || len > 10)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
		sum = sum * 10 + (uint64_t)(text[i] - '0');
	}
	*value = (uint32_t)sum;
	return sum <= UINT32_MAX;
}

static void take_addresses(const char *text, uint32_t *to, uint32_t most, uint32_t *count, uint32_t *refused)
{
	struct word word;
	uint32_t address;

	while (text && next_word(&text, &word)) {
		if (*count < most && !parse_address(word.at, word.len, &address) && is_unicast(address))
			to[(*count)++] = address;
		else
			++*refused;
	}
}

static bool parse_route(struct word to, struct word via, struct lease_route *route)
{
	const char *slash = memchr(to.at, '/', to.len);
	size_t len = slash ? (size_t)(slash - to.at) : to.len;

	route->prefix = 32;
	if (slash && !parse_number(slash + 1, to.len - len - 1, &route->prefix))
		return false;
	if (route->prefix > 32 || parse_address(to.at, len, &route->to) < 0 ||
	    parse_address(via.at, via.len, &route->via) < 0)
		return false;
	route->to &= prefix_mask(route->prefix);
	if (route->via && !is_unicast(route->via))
		return false;
	return route->prefix == 0 || is_unicast(route->to);
}

/* "10.0.0.0/8 10.0.2.2 0.0.0.0/0 10.0.2.2" */
static void take_routes(const char *text, struct lease *lease)
{
	struct word to, via;

	while (text && next_word(&text, &to)) {
		bool whole = next_word(&text, &via);

		if (whole && lease->route_count < LEASE_ROUTES &&
		    parse_route(to, via, &lease->routes[lease->route_count]))
			lease->route_count++;
		else
			lease->refused++;
	}
}

/* Letters, digits, hyphens and underscores in labels of 1 to 63; one dot at the end is dropped. */
static bool is_name(const struct word *word)
{
	size_t label = 0, len = word->len;

	if (len && word->at[len - 1] == '.')
		len--;
	if (!len || len > NAME_MOST)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)word->at[i];

		if (c == '.') {
			if (!label)
				return false;
			label = 0;
			continue;
		}
		if ((!isalnum(c) || c > 127) && c != '-' && c != '_')
			return false;
		if (++label > 63 || (label == 1 && c == '-'))
			return false;
	}
	return label > 0;
}

static void take_search(const char *text, struct lease *lease)
{
	size_t used = strlen(lease->search);
	struct word word;

	while (text && next_word(&text, &word)) {
		size_t len = word.len - (word.at[word.len - 1] == '.');

		if (!is_name(&word) || used + len + 2 > LEASE_SEARCH) {
			lease->refused++;
			continue;
		}
		used += (size_t)snprintf(lease->search + used, LEASE_SEARCH - used, "%s%.*s", used ? " " : "", (int)len,
					 word.at);
	}
}

static bool take_interface(const char *name, struct lease *lease)
{
	if (!name || !*name || strlen(name) >= IFNAMSIZ || name[0] == '.')
		return false;
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '-' && *p != '_' && *p != '.')
			return false;
	snprintf(lease->interface, IFNAMSIZ, "%s", name);
	return true;
}

/* The length of the subnet mask, from its dotted form: udhcpc's own $mask counts bits, and so believes 255.0.255.0. */
static bool parse_mask(const char *text, uint32_t *prefix)
{
	uint32_t mask;

	if (!text || parse_address(text, strlen(text), &mask) < 0 || !mask || (~mask & (~mask + 1)))
		return false;
	*prefix = (uint32_t)__builtin_popcount(mask);
	return true;
}

/* What a server that sends no mask means: the class of the address (RFC 950). */
static uint32_t class_prefix(uint32_t address)
{
	return address >> 31 == 0 ? 8 : address >> 30 == 2 ? 16 : 24;
}

static int take_address(const char *ip, const char *subnet, struct lease *lease, struct err *err)
{
	if (!ip || parse_address(ip, strlen(ip), &lease->address) < 0)
		return err_set(err, EINVAL, "%s: lease without an address", lease->interface);
	lease->prefix = class_prefix(lease->address);
	if (subnet && !parse_mask(subnet, &lease->prefix))
		return err_set(err, EINVAL, "%s: expected a subnet mask in the lease, found something else",
			       lease->interface);
	if (!is_host(lease->address, lease->prefix))
		return err_set(err, EINVAL, "%s: expected an address that a node can have in the lease, found %s/%u",
			       lease->interface, ADDRESS(lease->address), lease->prefix);
	return 0;
}

static void take_numbers(const char *mtu, const char *seconds, struct lease *lease)
{
	if (mtu && (!parse_number(mtu, strlen(mtu), &lease->mtu) || lease->mtu < MTU_LEAST || lease->mtu > 65535)) {
		lease->mtu = 0;
		lease->refused++;
	}
	lease->seconds = SECONDS_DEFAULT;
	if (seconds && !parse_number(seconds, strlen(seconds), &lease->seconds)) {
		lease->seconds = SECONDS_DEFAULT;
		lease->refused++;
	}
	if (lease->seconds < SECONDS_LEAST)
		lease->seconds = SECONDS_LEAST;
}

int lease_parse(const char *event, const char *(*get)(void *arg, const char *name), void *arg, struct lease *lease,
		struct err *err)
{
	const char *routes, *server;
	int r;

	memset(lease, 0, sizeof *lease);
	lease->size = sizeof *lease;
	lease->event = LEASE_EVENTS;
	for (uint32_t i = 0; event && i < LEASE_EVENTS; i++)
		if (!strcmp(event, events[i]))
			lease->event = i;
	if (lease->event == LEASE_EVENTS)
		return err_set(err, EINVAL, "expected deconfig, bound, renew, nak or leasefail");
	if (!take_interface(get(arg, "interface"), lease))
		return err_set(err, EINVAL, "expected the name of a link in $interface");
	if (lease->event != LEASE_BOUND && lease->event != LEASE_RENEW)
		return 0;
	r = take_address(get(arg, "ip"), get(arg, "subnet"), lease, err);
	if (r < 0)
		return r;
	server = get(arg, "serverid");
	if (server && parse_address(server, strlen(server), &lease->server) < 0)
		lease->server = 0;
	take_numbers(get(arg, "mtu"), get(arg, "lease"), lease);
	take_addresses(get(arg, "router"), lease->routers, LEASE_ROUTERS, &lease->router_count, &lease->refused);
	take_addresses(get(arg, "dns"), lease->dns, LEASE_SERVERS, &lease->dns_count, &lease->refused);
	take_addresses(get(arg, "ntpsrv"), lease->ntp, LEASE_SERVERS, &lease->ntp_count, &lease->refused);
	routes = get(arg, "staticroutes");
	take_routes(routes ? routes : get(arg, "msstaticroutes"), lease);
	take_search(get(arg, "search") ? get(arg, "search") : get(arg, "domain"), lease);
	return 0;
}

int lease_check(const struct lease *lease, size_t len)
{
	if (len != sizeof *lease || lease->size != sizeof *lease || lease->event >= LEASE_EVENTS)
		return -EINVAL;
	if (!memchr(lease->interface, 0, IFNAMSIZ) || !memchr(lease->search, 0, LEASE_SEARCH))
		return -EINVAL;
	if (lease->prefix > 32 || lease->router_count > LEASE_ROUTERS || lease->route_count > LEASE_ROUTES ||
	    lease->dns_count > LEASE_SERVERS || lease->ntp_count > LEASE_SERVERS)
		return -EINVAL;
	for (uint32_t i = 0; i < lease->route_count; i++)
		if (lease->routes[i].prefix > 32)
			return -EINVAL;
	return 0;
}
