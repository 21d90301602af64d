/* Network interfaces that are hardware. */
#ifndef KEELSON_NETWORK_LINKS_H
#define KEELSON_NETWORK_LINKS_H

#include <stdbool.h>

/* One with a device behind it: no lo, veth, bridge. */
bool is_physical_link(const char *name);
unsigned count_physical_links(void);

#endif
