/* Prefixes and addresses of both families, as text in and text out. */
#ifndef KEELSON_CLUSTER_ADDRESS_H
#define KEELSON_CLUSTER_ADDRESS_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

#define PREFIX_TEXT (INET6_ADDRSTRLEN + 4)

struct prefix {
	int family; /* AF_INET or AF_INET6 */
	unsigned char bytes[16];
	unsigned length; /* bits */
};

/* Read "10.96.0.0/16". Bits behind the prefix are cleared. Returns 0 or -EINVAL. */
int prefix_parse(const char *text, struct prefix *prefix, struct err *err);

/* The address at this offset of the prefix: 1 is the first service's. Returns 0, or -ERANGE when it lies outside. */
int prefix_address(const struct prefix *prefix, unsigned offset, char text[INET6_ADDRSTRLEN], struct err *err);

/* The first subnet of this length, as text: what the controller manager gives the first node. */
void prefix_first_subnet(const struct prefix *prefix, unsigned length, char text[PREFIX_TEXT]);

bool address_is_ipv6(const char *text);

/* "10.0.0.1:6443" or "[fd00::1]:6443". */
void address_with_port(const char *address, unsigned port, char *text, size_t size);

#endif
