/* UTF-8 (RFC 3629), a character at a time. */
#ifndef KEELSON_UTF8_H
#define KEELSON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at p, of which `left` bytes can be read. Returns its bytes, or 0 when it is none (also overlong forms
 * and surrogates). */
size_t utf8_decode(const unsigned char *p, size_t left, uint32_t *c);

/* Make a message one line that a terminal shows as it is: white space becomes a blank; control characters, which could
 * move the cursor or hide what follows, and bytes that are no character become '?'. In place, never longer. */
void utf8_printable(char *text);

#endif
