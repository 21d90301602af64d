/* Load the modules of the initramfs, in the order of its list. */
#ifndef KEELSON_LOAD_MODULES_H
#define KEELSON_LOAD_MODULES_H

#include <stddef.h>

#define MODULE_LIST_MAX 16384

struct modules_loaded {
	unsigned loaded;  /* now in the kernel, by us or before */
	unsigned useless; /* the kernel refused it for lack of the device */
	unsigned failed;  /* each was told */
};

/* Take the next path off the list: *at moves behind it. Blank lines and # comments are skipped, and what is no
 * absolute path below /modules. NULL at the end. The list is changed. Pure. */
char *next_module(char **at);

/* Load what /modules/list names. No list: nothing to load. */
void load_modules(struct modules_loaded *result);

#endif
