/* What a time zone's name can begin with. Pure. */
#ifndef KEELSON_TIME_ZONES_H
#define KEELSON_TIME_ZONES_H

#include <stdbool.h>

#include "lib/err.h"

/* Whether the name is in an area that there is, or one of those without; else `expected` says what would be. */
bool time_zone_has_area(const char *zone, struct err *expected);

#endif
