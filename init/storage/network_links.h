/* Network interfaces that are hardware. */
#ifndef KEELSON_NETWORK_LINKS_H
#define KEELSON_NETWORK_LINKS_H

/* How many the machine has. */
unsigned count_physical_links(void);

#endif
