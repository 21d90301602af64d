/* Base64 (RFC 4648 section 4), as kubeconfigs, user-data and certificates carry it. */
#ifndef KEELSON_BASE64_H
#define KEELSON_BASE64_H

#include <stddef.h>

#include "lib/buf.h"

/* Append the text of data, without line breaks. Returns 0 or what buf_add returns. */
int base64_encode(const void *data, size_t len, struct buf *text);

/* Append the bytes that text means. White space between characters is skipped, padding may be left out at the end.
 * Returns 0; -EINVAL for anything else (the buffer is then of no use); or what buf_add returns. */
int base64_decode(const char *text, size_t len, struct buf *data);

#endif
