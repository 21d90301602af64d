/* Time servers that say nothing: when and how that is told. Pure. */
#ifndef KEELSON_TIME_SILENCE_H
#define KEELSON_TIME_SILENCE_H

#include <stddef.h>
#include <stdint.h>

/* When it is told again: after a minute, then each time the silence is twice as long, at least every six hours. since,
 * now, result: milliseconds of one clock. */
int64_t next_silence_reminder(int64_t since, int64_t now);

/* How long that is: "60 s", "8 min", "6 h". */
void silence_text(int64_t ms, char *text, size_t len);

#endif
