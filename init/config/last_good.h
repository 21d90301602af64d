/* The last document that was applied, kept on state: used when the seed is gone or bad. */
#ifndef KEELSON_LAST_GOOD_H
#define KEELSON_LAST_GOOD_H

#include "config/seed.h"

#define LAST_GOOD_PATH "/var/lib/keelson/config/last-good.json"

/* Keep it. A document that is there already is not written again. */
int last_good_save(const char *path, const struct seed *seed, struct err *err);

/* Read it as a seed is read: its text goes through the same checks. Returns 1; 0: there is none; or -errno. */
int last_good_read(const char *path, struct seed *seed, struct err *err);

#endif
