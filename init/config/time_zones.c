/* What a time zone's name can begin with. Whether there is such a zone only the node's image knows, and tells.
 *
 * Source: IANA's time zone database, whose areas and names without an area have not become more for many years.
 */
#include "config/time_zones.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/nearest.h"

#define AREA_BYTES 65u

static const char *const areas[] = {
	"Africa", "America", "Antarctica", "Arctic", "Asia",   "Atlantic", "Australia", "Brazil", "Canada",
	"Chile",  "Etc",     "Europe",	   "Indian", "Mexico", "Pacific",  "US",	"posix",  "right",
};

static const char *const without_area[] = {
	"CET",	   "CST6CDT",	"Cuba",	   "EET",     "EST",   "EST5EDT",   "Egypt",	 "Eire",     "Factory",
	"GB",	   "GB-Eire",	"GMT",	   "GMT+0",   "GMT-0", "GMT0",	    "Greenwich", "HST",	     "Hongkong",
	"Iceland", "Iran",	"Israel",  "Jamaica", "Japan", "Kwajalein", "Libya",	 "MET",	     "MST",
	"MST7MDT", "NZ",	"NZ-CHAT", "Navajo",  "PRC",   "PST8PDT",   "Poland",	 "Portugal", "ROC",
	"ROK",	   "Singapore", "Turkey",  "UCT",     "UTC",   "Universal", "W-SU",	 "WET",	     "Zulu",
};

static const char *next_area(size_t i, const void *data)
{
	(void)data;
	return i < sizeof areas / sizeof areas[0] ? areas[i] : NULL;
}

static bool is_in(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

bool time_zone_has_area(const char *zone, struct err *expected)
{
	char area[AREA_BYTES];
	const char *nearest;

	snprintf(area, sizeof area, "%.*s", (int)strcspn(zone, "/"), zone);
	if (!strchr(zone, '/')) {
		if (is_in(without_area, sizeof without_area / sizeof without_area[0], zone))
			return true;
		err_set(expected, EINVAL, "a time zone with its area such as Europe/Berlin, or UTC");
		return false;
	}
	if (is_in(areas, sizeof areas / sizeof areas[0], area))
		return true;
	nearest = nearest_name(area, next_area, NULL);
	err_set(expected, EINVAL, "a time zone in an area such as %s", nearest ? nearest : "Europe");
	return false;
}
