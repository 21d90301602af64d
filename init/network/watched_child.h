/* A program of somebody else's that a service keeps running: its end is noticed, its last words are kept. */
#ifndef KEELSON_WATCHED_CHILD_H
#define KEELSON_WATCHED_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

#define SAID_BYTES 160

struct watched_child {
	pid_t pid; /* 0: none runs */
	int says;  /* what it prints; -1: none */
	char said[SAID_BYTES];
	unsigned failures;  /* ends since the last time that all was well */
	bool wanted_to_end; /* the next start is not delayed, and nothing is told */
	int64_t restart_at; /* ms of the boot; 0: not due */
};

#define WATCHED_CHILD_NONE                                                                                             \
	{                                                                                                              \
		.says = -1                                                                                             \
	}

/* Milliseconds since the boot. */
int64_t boot_ms(void);

/* Pure: how long to wait before the next start after so many failures: 100 ms, doubling to 30 s. */
int backoff_ms(unsigned failures);

/* Start argv; argv[0] is a path. On error a later start is due. */
int child_start(struct watched_child *child, const char *const *argv, struct err *err);

/* End it, and start the next one at once. */
void child_renew(struct watched_child *child);

/* End it for good. */
void child_stop(struct watched_child *child);

/* Take what it prints: the last line stays in said. */
void child_listen(struct watched_child *child);

/* It was reaped: a start is due. Says why in text ("status 1: …, again in 100 ms"); false where there is nothing to
 * tell. */
bool child_ended(struct watched_child *child, int status, char *text, size_t len);

/* Is a start due now? */
bool child_is_due(const struct watched_child *child, int64_t now);

/* The earlier one of a time (-1: never) and the next start. */
int64_t child_due(const struct watched_child *child, int64_t due);

/* A signalfd for the signals that such a service lives by: CHLD, TERM, INT. Returns the descriptor. */
int service_signals(struct err *err);

#endif
