/* Drivers for the devices of the node: aliases are collected, and what has them is loaded. */
#ifndef KEELSON_DEVICE_MODULES_H
#define KEELSON_DEVICE_MODULES_H

#include <sys/types.h>

#include "storage/alias_set.h"

/* Add the MODALIAS of every device on every bus below SYS ("/sys"). */
void add_bus_aliases(struct alias_set *set, const char *sys);

/* Add that of the processors, which is their list of features. */
void add_processor_alias(struct alias_set *set, const char *sys);

/* A child that loads. Zero-initialised: none. */
struct loading {
	pid_t child; /* 0: none */
	int ended;   /* a descriptor that is readable once it has ended; -1: none */
};

/* Begin to load what has the aliases that are not done with, in a child. Nothing to do, or one is loading already:
 * nothing happens. */
void start_loading(struct loading *loading, struct alias_set *set);

/* Take note that it has ended. */
void end_loading(struct loading *loading);

/* Wait for its end, at most so long. A child that takes longer goes on. */
void await_loading(struct loading *loading, int timeout_ms);

/* Modules in the kernel now: lines of /proc/modules. */
unsigned count_modules(void);

/* What devices of every node need and do not ask for themselves. */
void add_device_modules(struct alias_set *set);

#endif
