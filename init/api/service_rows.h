/* What PID 1 says about its services, as rows. Pure. */
#ifndef KEELSON_SERVICE_ROWS_H
#define KEELSON_SERVICE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"

#define SERVICE_ROWS_MAX 128

struct service_row {
	char name[32], state[16], blocker[32], slice[16], description[256];
	long pid;
	unsigned starts, failures;
	int64_t since, asked, run, ready, first_ready; /* milliseconds since boot; 0: never */
	int exit_status;
	bool signalled, stuck;
};

struct service_rows {
	struct service_row rows[SERVICE_ROWS_MAX];
	unsigned count;
	int64_t now;
	unsigned long long dropped;
};

/* Read the lines of an answer to "services". Lines and keys that are not known are left out. */
void service_rows_parse(const char *text, struct service_rows *rows);

/* A table for people, and JSON for programs. */
int service_rows_table(const struct service_rows *rows, struct buf *out);
int service_rows_json(const struct service_rows *rows, struct buf *out);

/* The timeline of this boot: when each service was asked for, ran, and was ready for the first time. */
int boot_table(const struct service_rows *rows, struct buf *out);
int boot_json(const struct service_rows *rows, struct buf *out);
int boot_svg(const struct service_rows *rows, struct buf *out);

#endif
