/* A set of short strings: aliases and names of modules. Pure. */
#ifndef KEELSON_ALIAS_SET_H
#define KEELSON_ALIAS_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"

/* Each string once. Zero-initialised is empty. */
struct alias_set {
	struct buf text; /* NUL-ended strings, one behind the other */
	size_t asked;	 /* bytes of text that are done with */
};

/* Add one, unless it is there. Returns whether it was new. What no alias can be is dropped: empty, with a '/', longer
 * than 4000 bytes, or one that would be an option of a command. */
bool add_alias(struct alias_set *set, const char *alias);

bool has_alias(const struct alias_set *set, const char *alias);

/* The next one that is not done with, or NULL. It counts as done with from now on. */
const char *next_alias(struct alias_set *set);

#endif
