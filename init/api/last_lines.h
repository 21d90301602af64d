/* The last lines of a text. */
#ifndef KEELSON_LAST_LINES_H
#define KEELSON_LAST_LINES_H

#include <stdbool.h>
#include <stddef.h>

/* Pure. Where the last `lines` lines of len bytes begin. cut: the text begins in the middle of a line, which is none.
 */
const char *last_lines(const char *text, size_t len, bool cut, long lines);

#endif
