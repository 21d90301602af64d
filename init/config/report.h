/* What was found in a document: errors and warnings, each with its place, told in the order of the text. */
#ifndef KEELSON_REPORT_H
#define KEELSON_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"

#define REPORT_SHOWN 20u /* of each kind; the rest is counted */

struct finding {
	bool warning;
	unsigned line, column; /* 1-based; 0: of the document as a whole */
	char *text;
};

struct report {
	struct finding *items;
	size_t count;
	size_t errors, warnings; /* all of them, also those beyond what is kept */
};

void report_error(struct report *report, unsigned line, unsigned column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void report_warning(struct report *report, unsigned line, unsigned column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* One line per finding, "NAME:14:15: keelson.cluster.pod_cidr: expected …", sorted by place; of each kind at most
 * REPORT_SHOWN and then how many more there are. */
void report_print(struct report *report, const char *name, struct buf *out);

void report_free(struct report *report);

#endif
