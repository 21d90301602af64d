#ifndef KEELSON_FINISH_OUTPUT_H
#define KEELSON_FINISH_OUTPUT_H

#include <stdio.h>

/* Write what `file` still holds. Returns `status`, or 1 after a line on stderr, "WHO: write: No space left on device",
 * when not all that was printed could be written and status was 0. */
int finish_output(FILE *file, const char *who, int status);

#endif
