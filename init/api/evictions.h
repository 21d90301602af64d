/* Pods that the kubelet ended since the node ran low: its log says so, and no cgroup does. */
#ifndef KEELSON_EVICTIONS_H
#define KEELSON_EVICTIONS_H

#include <stdbool.h>
#include <time.h>

#include "lib/buf.h"

#define EVICTED "/run/keelson/evicted"

struct evictions {
	unsigned count;	   /* in this boot */
	time_t last;	   /* when the last was told */
	char pod[320];	   /* NAMESPACE/NAME of the last */
	char resource[32]; /* what the node had too little of, as the kubelet names it; "": not known */
};

/* Pure. A line of the kubelet's log, NUL-ended, with whatever stands before its text. Returns whether it tells of an
 * eviction, which is then counted; the time is left to the caller. */
bool evictions_take(struct evictions *evictions, const char *line);

/* Pure. One line about them, or nothing. Returns 0 or -ENOMEM. */
int evictions_text(const struct evictions *evictions, struct buf *out);

/* In path (EVICTED), for whoever asks later. What cannot be read is none; what cannot be written is lost. */
void evictions_save(const char *path, const struct evictions *evictions);
void evictions_load(const char *path, struct evictions *evictions);

#endif
