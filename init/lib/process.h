/* Run a program to its end, with a bound on time and on what is read from it. Never a shell. */
#ifndef KEELSON_PROCESS_H
#define KEELSON_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/buf.h"
#include "lib/err.h"

struct process {
	const char *const *argv; /* argv[0] is looked up in PATH; ends with NULL */
	const char *const *env;	 /* NAME=value strings that ends with NULL, or NULL: the caller's environment */
	const char *directory;	 /* where it runs, or NULL */
	const void *input;	 /* given on standard input; NULL: /dev/null */
	size_t input_len;
	struct buf *output;		      /* standard output is appended here; NULL: the caller's standard output */
	int timeout_ms;			      /* killed after this; 0: never */
	bool quiet;			      /* without output: standard output is /dev/null */
	int tick_ms;			      /* how often tick is called while it runs; 0: never */
	void (*tick)(void *arg, int seconds); /* since the start */
	void *tick_arg;
};

/* Returns the exit status 0..255; -ETIMEDOUT when it was killed for time; -EFBIG when output passes its bound;
 * -EINTR when a signal ended it; other -errno when it could not be started. Standard error: its last line becomes the
 * context of an exit status other than 0 as well (err is set, the status is returned). */
int process_run(const struct process *process, struct err *err);

/* As process_run, with any status but 0 turned into -EIO. */
int process_run_ok(const struct process *process, struct err *err);

#endif
