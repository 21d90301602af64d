/* Is a bolt database (containerd's) whole? Pure: bytes in, verdict out. */
#ifndef KEELSON_CLUSTER_BOLT_CHECK_H
#define KEELSON_CLUSTER_BOLT_CHECK_H

#include <stddef.h>

#include "lib/err.h"

/* Walk every page that the newest meta page reaches. Returns 0, or -EBADMSG and what is wrong with which page. */
int bolt_check(const void *bytes, size_t size, struct err *err);

#endif
