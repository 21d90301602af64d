/* Read a GUID partition table: a pure, bounded parser over a reading function. It never writes. */
#ifndef KEELSON_BOOT_GPT_H
#define KEELSON_BOOT_GPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define GPT_PARTITIONS_MAX 128	/* used entries that are kept */
#define GPT_ENTRIES_MAX 1024	/* entries that a header may announce */
#define GPT_ENTRY_SIZE_MAX 4096 /* bytes of one entry */
#define GPT_NAME_MAX (36 * 3 + 1)

struct gpt_partition {
	uint32_t number; /* from 1, as the kernel counts */
	uint8_t type[16];
	uint8_t uuid[16];     /* PARTUUID; this and type in the order of their text form */
	uint64_t first, last; /* logical sectors, both belong to it */
	uint64_t attributes;
	char name[GPT_NAME_MAX]; /* UTF-8; control characters are replaced by '?' */
};

struct gpt {
	uint8_t disk[16];
	uint32_t sector; /* bytes of a logical sector */
	bool from_backup;
	char damage[120]; /* what is wrong with the primary table when from_backup */
	size_t count;
	struct gpt_partition partitions[GPT_PARTITIONS_MAX];
};

/* Where bytes come from. read returns 0 when all of len bytes were read, else negative errno. */
struct gpt_source {
	int (*read)(void *context, uint64_t offset, void *data, size_t len);
	void *context;
	uint64_t bytes;	 /* size of the disk */
	uint32_t sector; /* 512 to 4096, a power of two */
};

/* Read the primary table, and the backup at the end of the disk where the primary is damaged.
 * Returns 0; -ENOENT when neither is a GPT; -EBADMSG when one is there and neither is sound; -E2BIG; -EIO. */
int gpt_read(const struct gpt_source *source, struct gpt *gpt, struct err *err);

/* The partition with this PARTUUID, or NULL. */
const struct gpt_partition *gpt_find(const struct gpt *gpt, const uint8_t uuid[16]);

uint32_t gpt_crc32(uint32_t crc, const void *data, size_t len);

#endif
