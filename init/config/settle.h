/* Which configuration is in force: a seed, the last known good one, or none yet. */
#ifndef KEELSON_SETTLE_H
#define KEELSON_SETTLE_H

#include <stdbool.h>

#include "config/datasource.h"

struct settle {
	const char *root;		  /* in front of every path: "" on a node, a directory in tests */
	const struct datasource *sources; /* asked in their order */
	/* Sleep until a disk or medium changed, or ms are over; returns whether something changed. Tests bring their
	 * own. */
	bool (*wait)(void *arg, int ms);
	void (*maintenance)(void *arg); /* called once when maintenance mode begins; NULL: nothing to do */
	void *arg;
};

/* Returns when a configuration is in force; the story says which, and until then every 15 s why there is none. */
void settle_configuration(const struct settle *settle);

#endif
