/* Which links are the node's own. */
#ifndef KEELSON_FIND_LINKS_H
#define KEELSON_FIND_LINKS_H

#include <net/if.h>
#include <stdbool.h>

#include "lib/physical_link.h"

/* The hardware address, 6 bytes. Returns 0 or a negative errno. */
int link_address(const char *sys, const char *name, unsigned char mac[6]);

/* How long a link that is up may stay without a carrier before that is believed: virtual cards know soon, real
 * ones negotiate first. */
int carrier_grace_ms(const char *sys, const char *name);

#endif
