/* Drivers for the devices of the node: aliases are collected, and what has them is loaded. */
#ifndef KEELSON_DEVICE_MODULES_H
#define KEELSON_DEVICE_MODULES_H

#include <stdbool.h>
#include <sys/types.h>

#include "storage/alias_set.h"

/* Add the MODALIAS of every device on every bus below SYS ("/sys"). */
void add_bus_aliases(struct alias_set *set, const char *sys);

/* Add that of the processors, which is their list of features. */
void add_processor_alias(struct alias_set *set, const char *sys);

/* Begin to load what has the aliases that are not done with, in a child. background: behind everything else.
 * Returns its pid; 0: nothing to do, or no child. */
pid_t start_loading(struct alias_set *set, bool background);

/* Wait for its end, at most a minute. */
void await_loading(pid_t child);

/* Modules in the kernel now: lines of /proc/modules. */
unsigned count_modules(void);

/* What every node needs and no device asks for. */
void add_node_modules(struct alias_set *set);

#endif
