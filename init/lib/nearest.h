/* "did you mean": the known name that is closest to what was written. */
#ifndef KEELSON_NEAREST_H
#define KEELSON_NEAREST_H

#include <stddef.h>

/* The candidate with the fewest single-character edits (case counts half), or NULL when none is near enough to help.
 * next(i, data) gives the i-th candidate, NULL at the end. */
const char *nearest_name(const char *name, const char *(*next)(size_t i, const void *data), const void *data);

#endif
