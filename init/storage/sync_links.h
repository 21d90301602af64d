/* Make a folder of links as it is wanted, and take away what is not. */
#ifndef KEELSON_SYNC_LINKS_H
#define KEELSON_SYNC_LINKS_H

#include <stddef.h>

#include "lib/err.h"

struct wanted_link {
	const char *link; /* below the root: "disk/by-uuid/1234-ABCD" */
	const char *name; /* the device below the root it leads to: "vda2" */
	unsigned rank;	  /* of two devices that want one name, the lower has it */
};

/* Sort, and leave one device to a name. Returns how many are left. Pure. */
size_t settle_links(struct wanted_link *links, size_t count);

/* ROOT is /dev, or a test's. links: settled. A link is replaced in one step. Only symbolic links in disk/by-… and
 * mapper are ever taken away. */
int sync_links(const char *root, const struct wanted_link *links, size_t count, struct err *err);

#endif
