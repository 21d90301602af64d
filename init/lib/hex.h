/* Hexadecimal digits and UUIDs as text. Pure. */
#ifndef KEELSON_HEX_H
#define KEELSON_HEX_H

#include <stddef.h>
#include <stdint.h>

/* "0a1b…" to bytes; exactly 2 * len digits, in either case. Returns 0 or -EINVAL. */
int hex_bytes(const char *text, size_t digits, uint8_t *bytes, size_t len);

/* Bytes to lower-case digits; text has room for 2 * len + 1. */
void hex_text(const uint8_t *bytes, size_t len, char *text);

/* A UUID in its text form, in either case, to 16 bytes in the order of its digits. Returns 0 or -EINVAL. */
int uuid_bytes(const char *text, uint8_t uuid[16]);

/* Its text form, lower case. */
void uuid_text(const uint8_t uuid[16], char text[37]);

#endif
