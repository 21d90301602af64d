#ifndef KEELSON_CHECK_GZIP_H
#define KEELSON_CHECK_GZIP_H

#include "lib/err.h"

/* Unpack PATH into nothing and compare its checksums. Returns 0 for a whole gzip file, and for one that is not packed
 * at all; -EBADMSG when it is damaged or cut short. */
int check_gzip(const char *path, struct err *err);

#endif
