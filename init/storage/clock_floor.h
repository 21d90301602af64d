/* A clock that is not absurd, before anything looks at it. */
#ifndef KEELSON_CLOCK_FLOOR_H
#define KEELSON_CLOCK_FLOOR_H

#include <stdint.h>

#include "lib/err.h"

#define SAVED_TIME_PATH "/var/lib/keelson/time"

enum clock_verdict { CLOCK_RIGHT, CLOCK_BEHIND, CLOCK_AHEAD };

/* Pure, all in seconds since 1970. now: what the hardware clock gave; built: the image; saved: the last time that was
 * synchronised, or 0. set_to is filled in always. */
enum clock_verdict judge_clock(int64_t now, int64_t built, int64_t saved, int64_t *set_to);

/* Set the clock if it must be. Tells when it did. */
int set_clock_floor(const char *os_release, const char *saved, struct err *err);

#endif
