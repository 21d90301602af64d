/* The lines that come into one of the log writer's files, over its rotations. */
#ifndef KEELSON_LOG_TAIL_H
#define KEELSON_LOG_TAIL_H

#include <stddef.h>

struct log_tail {
	const char *path; /* the caller's */
	int fd;		  /* -1: not open */
	size_t used, at;  /* of what was read: bytes, and where the next line begins */
	char data[4096];
};

/* Begin at the end of what is there. A file that is not there yet is read from its start once it is. */
void log_tail_open(struct log_tail *tail, const char *path);

/* The next whole line, NUL-ended without its newline, valid until the next call; NULL: none for now. A line that is
 * longer than data is given in pieces. */
const char *log_tail_next(struct log_tail *tail);

void log_tail_close(struct log_tail *tail);

#endif
