/* Keep a time that is known to be right. */
#ifndef KEELSON_SAVE_TIME_H
#define KEELSON_SAVE_TIME_H

#include "lib/err.h"

/* Replace the saved time, whatever it was: one that was wrong must not last. */
int save_time(const char *path, struct err *err);

/* Set the hardware clock, in UTC. A machine without one is no error. */
int set_hardware_clock(const char *device, struct err *err);

#endif
