/* Which network links are the machine's own. */
#ifndef KEELSON_PHYSICAL_LINK_H
#define KEELSON_PHYSICAL_LINK_H

#include <stdbool.h>

/* A link of ours has hardware behind it (SYS/class/net/NAME/device) and Ethernet's kind of address. Those of pods,
 * bridges and tunnels have not. sys: "/sys", or a tree of a test's. */
bool is_physical_link(const char *sys, const char *name);

#endif
