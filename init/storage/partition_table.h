/* The GPT of a disk as a plain struct, so that deciding about it needs no disk. */
#ifndef KEELSON_PARTITION_TABLE_H
#define KEELSON_PARTITION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

/* Discoverable Partitions Specification; as libfdisk prints them, in capitals. */
#define TYPE_ESP "C12A7328-F81F-11D2-BA4B-00C04FC93B3B"
#define TYPE_STATE "4D21B016-B534-45C2-A9FB-5C16E091FD2D"

/* Of the state partition; the upper 16 attributes are the type's own, and its specification names only 59, 60 and 63.
 */
#define ATTRIBUTE_IN_USE ((uint64_t)1 << 48)

#define UUID_TEXT 37
#define PARTITIONS_MAX 128

struct partition {
	unsigned number;      /* from 1 */
	uint64_t first, last; /* logical sectors, both included */
	uint64_t attributes;
	char type[UUID_TEXT], uuid[UUID_TEXT];
};

struct table {
	unsigned sector_size; /* bytes */
	uint64_t sectors;     /* of the whole disk */
	bool needs_write;     /* the backup is not at the end, or one of the two tables is damaged */
	char disk_id[UUID_TEXT];
	size_t count;
	struct partition partitions[PARTITIONS_MAX];
};

/* Read the table of DISK ("/dev/vda"). Nothing is written. */
int table_read(const char *disk, struct table *table, struct err *err);

/* The one partition of TYPE. None or two are errors: two name both, none of them is guessed. */
int table_find(const struct table *table, const char *type, const struct partition **found, struct err *err);

#endif
