/* When the image was built: BUILD_TIME of its os-release, as mkimage wrote it. Pure. */
#ifndef KEELSON_BUILD_TIME_H
#define KEELSON_BUILD_TIME_H

#include <stdint.h>

/* A number of seconds since 1970 that a line or a quote may end; 0 where the text is no such number. */
int64_t seconds_of(const char *text);

/* BUILD_TIME of the text of an os-release file, in seconds since 1970, or 0. */
int64_t build_time(const char *os_release);

#endif
