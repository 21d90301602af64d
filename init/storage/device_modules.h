/* Drivers for the devices of the node: aliases are collected, and modprobe loads what has them. */
#ifndef KEELSON_DEVICE_MODULES_H
#define KEELSON_DEVICE_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"

/* Aliases, each once. Zero-initialised is empty. */
struct alias_set {
	struct buf text;  /* NUL-ended strings, one behind the other */
	size_t asked;     /* bytes of text that modprobe has been given already */
};

/* Add one, unless it is there. Returns whether it was new. What no alias can be is dropped: empty, with a '/', longer
 * than 1000 bytes, or one that would be an option. Pure. */
bool add_alias(struct alias_set *set, const char *alias);

/* Add the MODALIAS of every device on every bus below SYS ("/sys"), cpus or all the others. */
void add_bus_aliases(struct alias_set *set, const char *sys, bool cpus);

/* Give modprobe what it has not been given yet, many in one call. */
void load_new_aliases(struct alias_set *set);

/* Modules in the kernel now: lines of /proc/modules. */
unsigned count_modules(void);

/* What every node needs and no device asks for. */
void add_node_modules(struct alias_set *set);

/* Settings that come with those modules. */
void set_module_sysctls(void);

#endif
