/* Why the boot before ended: what the kernel left in pstore, and PID 1 in a file. */
#ifndef KEELSON_LAST_WORDS_H
#define KEELSON_LAST_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

#define LAST_WORDS_REASON 160

/* Pure: the reason in a kernel's log, "Kernel panic - not syncing: …" before "BUG: …" and its like, without the log's
 * own level and time in front. log need not be NUL-terminated. Returns false when it holds none; reason is then "". */
bool find_reason(const char *log, size_t len, char reason[LAST_WORDS_REASON]);

/* Pure, for qsort: oldest text first. The EFI driver numbers a dump's parts from its end, so a higher name is older. */
int compare_record_names(const void *a, const void *b);

/* Read the records of a pstore folder into text, oldest first, at most 64 of 64 KiB each. names: NUL-terminated, one
 * after the other, for whoever removes them. Returns how many there were, or -errno. */
int read_records(const char *folder, struct buf *text, struct buf *names, struct err *err);

#endif
