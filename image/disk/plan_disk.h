/* The partition table of an image: which partitions, where, named how. Pure; write_disk does it.
 *
 * Source: UAPI.2 (discoverable partitions), UEFI 2.10 section 5.3 (GPT).
 */
#ifndef KEELSON_PLAN_DISK_H
#define KEELSON_PLAN_DISK_H

#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"

#define DISK_SECTOR 512u
#define DISK_PARTITIONS 7

enum disk_partition_role { DISK_BIOS, DISK_ESP, DISK_ROOT_A, DISK_VERITY_A, DISK_ROOT_B, DISK_VERITY_B, DISK_STATE };

/* What an image description says of the disk; plan_disk takes 0 as the default. */
struct disk_description {
	const char *version;   /* of the image: label of slot A, seed of the GUIDs */
	uint8_t root_hash[32]; /* dm-verity's */
	uint64_t disk_bytes;   /* default 6 GiB, the smallest disk; `state` takes what is left */
	uint64_t esp_bytes;    /* default 1 GiB */
	uint64_t root_bytes;   /* of a slot; default 1 GiB */
	uint64_t verity_bytes; /* of a slot; default 16 MiB */
	/* what goes in, to be checked against the above; 0 is not checked */
	uint64_t root_used, verity_used;
};

struct disk_partition {
	char label[37];		 /* ASCII */
	char type[37], uuid[37]; /* GUIDs, upper case */
	uint64_t first, sectors;
	uint64_t attributes; /* GPT attribute bits */
};

struct disk_plan {
	char guid[37]; /* the disk's */
	uint64_t sectors;
	struct disk_partition partitions[DISK_PARTITIONS]; /* by enum disk_partition_role; number = role + 1 */
};

/* Can VERSION name partitions and files? Returns 0 or -EINVAL. */
int disk_version_check(const char *version, struct err *err);

/* Returns 0, -EINVAL (a size that is no multiple of 1 MiB, a version that is no label) or -ENOSPC (something is larger
 * than its place; both sizes are named). */
int plan_disk(const struct disk_description *description, struct disk_plan *plan, struct err *err);

/* The plan as text, a line a partition. */
int describe_disk(const struct disk_plan *plan, struct buf *text);

#endif
