/* Unpack gzip (RFC 1952) in memory, with a bound: a few bytes can mean gigabytes. */
#ifndef KEELSON_GUNZIP_H
#define KEELSON_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

bool is_gzip(const void *data, size_t len);

/* Append what data unpacks to, at most max bytes. Returns 0, -EFBIG, -EINVAL (damaged, cut short, or bytes behind
 * the end) or -ENOMEM. */
int gunzip(const void *data, size_t len, size_t max, struct buf *out, struct err *err);

#endif
