/* What pods took from the node: memory that was not there, the disk they share. */
#ifndef KEELSON_PRESSURE_H
#define KEELSON_PRESSURE_H

#include <time.h>

#include "api/evictions.h"
#include "lib/buf.h"

#define VAR_FULL "/run/keelson/var-full"

struct pressure {
	unsigned long long ended; /* programs of pods that the kernel ended for lack of memory, in this boot */
	int free_percent;	  /* of /var, for pods; rounded down. -1: not known */
	time_t full_until;	  /* when it was last seen so full that pods are evicted; 0: not in this boot */
	struct evictions evictions;
};

/* Where it is read from. */
struct pressure_paths {
	const char *kubepods, *var, *full, *evicted;
};
extern const struct pressure_paths pressure_paths; /* a node's */

/* What cannot be read counts as nothing. */
void pressure_gather(const struct pressure_paths *paths, struct pressure *pressure);

/* Keep in the file full (VAR_FULL) that /var is so full now that pods are evicted; nothing where it is not. By the time
 * somebody asks, the pod that filled it may be gone. An error is not told: the disk may be the very reason. */
void pressure_remember(const char *full, const struct pressure *pressure);

/* Pure: a line for each thing that is wrong; nothing where all is well. Bands, not numbers, for what changes all the
 * time: the console shows a line anew when it changes. Returns 0 or -ENOMEM. */
int pressure_text(const struct pressure *pressure, struct buf *out);

#endif
