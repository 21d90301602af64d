/* A large output that appears whole or not at all: written beside its place, synced, renamed.
 *
 * file_write_atomic does the same for content that is in memory already.
 */
#ifndef KEELSON_OUTPUT_FILE_H
#define KEELSON_OUTPUT_FILE_H

#include <limits.h>

#include "lib/err.h"

struct output_file {
	int fd; /* open for reading and writing while the file is being made, else -1 */
	char path[PATH_MAX];
	char beside[PATH_MAX]; /* where it is written: hand this to a program that makes the file itself */
};

#define OUTPUT_FILE_NONE                                                                                               \
	{                                                                                                              \
		.fd = -1                                                                                               \
	}

/* Start PATH; an older file of that name stays as it is until output_commit. Missing directories are made. */
int output_open(struct output_file *output, const char *path, struct err *err);

/* Sync and rename. On an error nothing is left of the new file. */
int output_commit(struct output_file *output, struct err *err);

/* Remove what was written, unless it was committed. Usable as _cleanup_(output_abandon). */
void output_abandon(struct output_file *output);

#endif
