/* The kernel command line of a UKI: kernel/cmdline with the root hash of the root it was built with. */
#ifndef KEELSON_RENDER_CMDLINE_H
#define KEELSON_RENDER_CMDLINE_H

#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"

/* Pure. TEMPLATE: the words of the command line, one or more a line, # starts a comment; @ROOTHASH@ is replaced.
 * extra: words of an image description put behind, or NULL. The result is one line without a newline.
 * Returns 0, -EINVAL (no @ROOTHASH@ in it, a character that is not printable ASCII) or -EFBIG (over 2047 bytes,
 * the most that x86 keeps). */
int render_cmdline(const char *template, const uint8_t root_hash[32], const char *extra, struct buf *line,
		   struct err *err);

#endif
