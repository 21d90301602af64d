/* What ntpd tells of the clock. */
#ifndef KEELSON_TIME_MESSAGE_H
#define KEELSON_TIME_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define TIME_SOCKET "/run/keelson/time.sock"

enum time_event { TIME_STEP, TIME_STRATUM, TIME_PERIODIC, TIME_UNSYNC, TIME_EVENTS };

struct time_message {
	uint32_t size, event, stratum;
	double offset; /* seconds that were or are to be added to the clock */
};

/* Pure: from ntpd's variables, as lease_parse does it. */
int time_message_parse(const char *event, const char *(*get)(void *arg, const char *name), void *arg,
		       struct time_message *message, struct err *err);

/* Pure: does the message say that the clock is now a server's? */
bool is_synchronised(const struct time_message *message);

/* Pure: "73 years ahead", "4 minutes behind": what the clock was before offset was added. */
void clock_was_text(double offset, char *text, size_t len);

#endif
