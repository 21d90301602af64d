/* Before containerd starts: are its databases whole after the last stop? */
#ifndef KEELSON_CLUSTER_RUNTIME_CHECK_H
#define KEELSON_CLUSTER_RUNTIME_CHECK_H

#include "lib/err.h"

#define CONTAINERD_ROOT "/var/lib/containerd"
#define BROKEN_CONTAINERD "/var/lib/containerd.broken"

/* Look at both databases below ROOT; when one is broken, move all of ROOT to BROKEN. Returns 0 all is well, 1 moved
 * (err says why), or a negative errno. */
int runtime_check(const char *root, const char *broken, struct err *err);

#endif
