/* Make the file system of the state partition. */
#ifndef KEELSON_FORMAT_STATE_H
#define KEELSON_FORMAT_STATE_H

#include <stdint.h>

#include "lib/err.h"

#define SMALLEST_STATE ((uint64_t)512 << 20)

/* Pure: what mke2fs is asked to reserve, in hundredths of a percent: 5 %, and at least 256 MiB. */
unsigned reserved_percent_100(uint64_t bytes);

/* The file system is left with the label LABEL_FORMATTING: it counts only once commit_format has run. */
int format_state(const char *device, uint64_t bytes, struct err *err);

/* The file system of BYTES is complete: everything is synced, then it gets its label. Nothing is mounted yet. */
int commit_format(const char *device, uint64_t bytes, struct err *err);

/* Pure: the label of a superblock, and its checksum with it. */
void relabel_superblock(unsigned char bytes[1024], const char *label);

#endif
