/* What pods took from the node: memory that was not there, the disk they share. */
#ifndef KEELSON_PRESSURE_H
#define KEELSON_PRESSURE_H

#include "lib/buf.h"

#define KUBEPODS "/sys/fs/cgroup/kubepods"

struct pressure {
	unsigned long long ended; /* programs of pods that the kernel ended for lack of memory, in this boot */
	int free_percent;	  /* of /var, for pods; rounded down. -1: not known */
};

/* From kubepods ("/sys/fs/cgroup/kubepods") and var ("/var"). What cannot be read counts as nothing. */
void pressure_gather(const char *kubepods, const char *var, struct pressure *pressure);

/* Pure: a line for each thing that is wrong; nothing where all is well. Bands, not numbers, for what changes all the
 * time: the console shows a line anew when it changes. Returns 0 or -ENOMEM. */
int pressure_text(const struct pressure *pressure, struct buf *out);

#endif
