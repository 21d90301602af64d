/* What BusyBox's ntpd tells its script: the event as argument, stratum and offset as variables. */
#include "network/time_message.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNSYNCHRONISED 16

int time_message_parse(const char *event, const char *(*get)(void *arg, const char *name), void *arg,
		       struct time_message *message, struct err *err)
{
	static const char *const events[TIME_EVENTS] = {"step", "stratum", "periodic", "unsync"};
	const char *stratum = get(arg, "stratum"), *offset = get(arg, "offset");

	memset(message, 0, sizeof *message);
	message->size = sizeof *message;
	message->event = TIME_EVENTS;
	for (uint32_t i = 0; event && i < TIME_EVENTS; i++)
		if (!strcmp(event, events[i]))
			message->event = i;
	if (message->event == TIME_EVENTS)
		return err_set(err, EINVAL, "expected step, stratum, periodic or unsync");
	message->stratum = stratum ? (uint32_t)strtoul(stratum, NULL, 10) : UNSYNCHRONISED;
	message->offset = offset ? strtod(offset, NULL) : 0;
	if (!isfinite(message->offset))
		message->offset = 0;
	return 0;
}

/* After a step ntpd takes its stratum back until it has seen the new time confirmed; the clock is right all the same.
 */
bool is_synchronised(const struct time_message *message)
{
	if (message->event == TIME_STEP)
		return true;
	return message->event != TIME_UNSYNC && message->stratum > 0 && message->stratum < UNSYNCHRONISED;
}

void clock_was_text(double offset, char *text, size_t len)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = {{31557600, "years"}, {86400, "days"}, {3600, "hours"}, {60, "minutes"}};
	const char *direction = offset < 0 ? "ahead" : "behind";
	double by = fabs(offset);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (by >= 2 * units[i].seconds) {
			snprintf(text, len, "%lld %s %s", (long long)((by < 1e15 ? by : 1e15) / units[i].seconds),
				 units[i].name, direction);
			return;
		}
	snprintf(text, len, "%.1f s %s", by, direction);
}
