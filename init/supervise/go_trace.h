/* Whether a line of standard error belongs to the stack that a Go program prints when it ends itself. */
#ifndef KEELSON_GO_TRACE_H
#define KEELSON_GO_TRACE_H

#include <stdbool.h>
#include <stddef.h>

/* within: of this program so far, false at its start; kept from line to line. Empty lines need not be asked for. */
bool go_trace_line(bool *within, const char *text, size_t len);

#endif
