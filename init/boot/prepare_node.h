/* What must be there before the first service starts, on the verified root. */
#ifndef KEELSON_PREPARE_NODE_H
#define KEELSON_PREPARE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

struct sysctl_row {
	const char *path; /* below /proc/sys */
	const char *value;
	const char *reason;
};

extern const struct sysctl_row sysctl_rows[];
extern const size_t sysctl_rows_count;

/* Write every row below ROOT (/proc/sys). A kernel without one goes on. Returns how many were written. */
size_t write_sysctls(const char *root);

/* PID 1 into ROOT/init, then the controllers that pods and services need handed to ROOT's children. */
int prepare_cgroups(const char *root, struct err *err);

/* All of it, in order. */
int prepare_node(struct err *err);

/* Begin to read what the image lists into memory, in a child that ends by itself. */
void start_read_ahead(void);

#endif
