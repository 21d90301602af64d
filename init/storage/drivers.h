/* Load drivers by the aliases of devices, with depmod's tables and without a modprobe for each. */
#ifndef KEELSON_DRIVERS_H
#define KEELSON_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"
#include "storage/alias_set.h"
#include "storage/module_index.h"

struct drivers {
	char folder[128]; /* /lib/modules/VERSION */
	struct module_index aliases, dependencies;
	struct alias_set never;	  /* names that modprobe.d blacklists */
	struct alias_set special; /* names with options, install commands or soft dependencies: modprobe's business */
	struct alias_set tried;
	struct alias_set left;		 /* found, and special: to be given to modprobe */
	int (*insert)(const char *path); /* 0 or -errno; tests put theirs */
	bool (*is_loaded)(const char *name);
};

/* One line of a modprobe.d file or of modules.softdep. Pure. */
void take_rule(struct drivers *drivers, const char *line);

/* Open the tables of the running kernel. Returns 0; -errno: there are none, modprobe has to do it all. */
int open_drivers(struct drivers *drivers, struct err *err);

/* Load what has this alias or this name, with what it depends on. */
void load_driver(struct drivers *drivers, const char *alias);

#endif
