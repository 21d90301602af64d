/* What the builder is doing, a line an act with the seconds since it began, and the table of sizes at the end. */
#ifndef KEELSON_PROGRESS_H
#define KEELSON_PROGRESS_H

#include <stdint.h>

#include "lib/buf.h"

/* "[ 3.21] packages    87 packages, 96.8 MiB" on standard output, at once. */
void progress(const char *act, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For struct process: says every 15 s that a program of an act is still at work. act: a string. */
#define PROGRESS_TICK_MS 15000
void progress_tick(void *act, int seconds);

/* A row of the table. */
struct size_row {
	const char *part;
	uint64_t bytes;
	uint64_t of; /* what there is room for; 0: no bound */
};

/* The table as text. Pure. Returns 0 or -ENOMEM. */
int render_sizes(const struct size_row *rows, size_t count, struct buf *text);

/* "96.8 MiB", in a buffer of its own for each of four calls. */
const char *human_size(uint64_t bytes);

#endif
