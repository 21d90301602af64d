/* Long after the boot somebody may look for the reason why certificates are not valid yet, so servers that say nothing
 * are told of again, ever more seldom. */
#include "network/time_silence.h"

#include <stdio.h>

#define FIRST_MS 60000
#define MOST_MS (6 * 3600 * 1000)

int64_t next_silence_reminder(int64_t since, int64_t now)
{
	int64_t pause = now - since;

	if (pause < FIRST_MS)
		pause = FIRST_MS;
	return now + (pause < MOST_MS ? pause : MOST_MS);
}

void silence_text(int64_t ms, char *text, size_t len)
{
	long long seconds = ms / 1000;

	if (seconds < 120)
		snprintf(text, len, "%lld s", seconds);
	else if (seconds < 7200)
		snprintf(text, len, "%lld min", seconds / 60);
	else
		snprintf(text, len, "%lld h", seconds / 3600);
}
