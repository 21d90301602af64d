/* A DHCP lease, as far as every value in it could be believed. */
#ifndef KEELSON_LEASE_H
#define KEELSON_LEASE_H

#include <net/if.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define LEASE_SOCKET "/run/keelson/dhcp.sock"

#define LEASE_ROUTERS 4
#define LEASE_ROUTES 32
#define LEASE_SERVERS 6
#define LEASE_SEARCH 512
#define ADDRESS_TEXT 16

enum lease_event { LEASE_DECONFIG, LEASE_BOUND, LEASE_RENEW, LEASE_NAK, LEASE_FAIL, LEASE_EVENTS };

/* IPv4 addresses are numbers in the host's byte order. */
struct lease_route {
	uint32_t to, prefix, via; /* via 0: on the link itself */
};

/* Handed from dhcp-event to network in one datagram: no pointers, every count within its array. */
struct lease {
	uint32_t size; /* sizeof(struct lease): both ends are the same program */
	uint32_t event;
	char interface[IFNAMSIZ];
	uint32_t address, prefix, server, seconds;
	uint32_t mtu; /* 0: none given */
	uint32_t router_count, route_count, dns_count, ntp_count;
	uint32_t routers[LEASE_ROUTERS];
	struct lease_route routes[LEASE_ROUTES]; /* option 121, else 249 */
	uint32_t dns[LEASE_SERVERS], ntp[LEASE_SERVERS];
	char search[LEASE_SEARCH]; /* names with one space between; from 119, else 15 */
	uint32_t refused;	   /* values that were left out */
};

/* What udhcpc hands to its script. get returns the value of a variable or NULL, as getenv does. Pure.
 * Returns 0, or -EINVAL when there is no usable interface, event or, for a lease, address. */
int lease_parse(const char *event, const char *(*get)(void *arg, const char *name), void *arg, struct lease *lease,
		struct err *err);

/* Does what came by datagram hold together? */
int lease_check(const struct lease *lease, size_t len);

/* "10.0.2.15". Returns text. */
const char *address_text(uint32_t address, char text[ADDRESS_TEXT]);
#define ADDRESS(address) address_text(address, (char[ADDRESS_TEXT]){0})

/* Dotted, nothing before or behind it. Returns 0 or -EINVAL. */
int parse_address(const char *text, size_t len, uint32_t *address);

uint32_t prefix_mask(uint32_t prefix);

#endif
