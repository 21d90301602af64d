/* The lock file of an image description: which packages, in which version, with which content. */
#ifndef KEELSON_LOCK_H
#define KEELSON_LOCK_H

#include <stdbool.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "packages/package.h"

/* Text of a lock file: "NAME VERSION SHA256" a line, # starts a comment. file names it in errors. Pure. */
int lock_parse(const char *file, const char *text, struct package_set *set, struct err *err);

/* Its text, from a sorted set. Pure. Returns 0 or -ENOMEM. */
int lock_render(const struct package_set *set, struct buf *text);

/* What moved, a line each: "moved: libc6 1.2 -> 1.3", "new: …", "gone: …", "rebuilt: NAME VERSION has other content".
 * Both sets sorted. Pure. Returns the number of lines, or -ENOMEM. */
int lock_diff(const struct package_set *locked, const struct package_set *now, struct buf *text);

/* Compare NOW with the file, print what moved, and refuse it when LOCKED is set. A file that is not there locks
 * nothing; with LOCKED it is an error. Returns the number of differences or a negative errno. */
int lock_check(const char *path, const struct package_set *now, bool locked, struct err *err);

/* Accept NOW. */
int lock_write(const char *path, const struct package_set *now, struct err *err);

#endif
