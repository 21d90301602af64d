/* SHA-256 as lower-case hex, of bytes and of files. */
#ifndef KEELSON_DIGEST_H
#define KEELSON_DIGEST_H

#include <stddef.h>

#include "lib/err.h"

#define DIGEST_TEXT 65 /* 64 digits and the NUL */

int digest_bytes(const void *data, size_t len, char text[DIGEST_TEXT], struct err *err);
int digest_file(const char *path, char text[DIGEST_TEXT], struct err *err);

#endif
