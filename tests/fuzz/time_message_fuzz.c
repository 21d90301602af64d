/* What ntpd says of the clock: event, stratum and offset, a line each. */
#include "fuzz.h"

#include <math.h>

#include "network/time_message.h"

struct words {
	const char *stratum, *offset;
};

static const char *get(void *arg, const char *name)
{
	const struct words *words = arg;

	return !strcmp(name, "stratum") ? words->stratum : words->offset;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len), *rest = text, *event = strsep(&rest, "\n");
	struct words words = {.stratum = strsep(&rest, "\n")};
	struct time_message message;
	char was[64];

	words.offset = rest;
	if (!time_message_parse(event, get, &words, &message, NULL)) {
		PROMISE(message.event < TIME_EVENTS && isfinite(message.offset));
		is_synchronised(&message);
		clock_was_text(message.offset, was, sizeof was);
		PROMISE(strstr(was, message.offset < 0 ? "ahead" : "behind"));
	}
	free(text);
	return 0;
}
