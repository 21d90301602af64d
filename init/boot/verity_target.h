/* dm-verity: what its superblock says, checked, and the table for the kernel. Pure, but for open_verity. */
#ifndef KEELSON_VERITY_TARGET_H
#define KEELSON_VERITY_TARGET_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define VERITY_SUPERBLOCK_BYTES 512
#define VERITY_SALT_MAX 256
#define VERITY_TABLE_MAX 1024

struct verity_target {
	uint64_t data_blocks; /* of 4096 bytes */
	uint16_t salt_bytes;
	uint8_t salt[VERITY_SALT_MAX];
};

/* raw: the first 512 bytes of the verity partition; sizes in bytes. Returns 0 or -EBADMSG. */
int verity_target_parse(const uint8_t raw[VERITY_SUPERBLOCK_BYTES], uint64_t data_bytes, uint64_t verity_bytes,
			struct verity_target *verity, struct err *err);

/* How many blocks the tree over so many data blocks takes. */
uint64_t verity_target_tree_blocks(uint64_t data_blocks);

/* The parameters of the target: "1 254:3 254:4 4096 4096 …". Returns the length, or -EFBIG. */
int verity_target_table(const struct verity_target *verity, const char *data_device, const char *verity_device,
			const uint8_t root_hash[32], char *table, size_t room);

/* Make the read-only device NAME over two partitions, named by "major:minor". path gets "/dev/dm-N". A block that does
 * not verify panics the kernel. */
int open_verity(const char *name, const struct verity_target *verity, const char *data_device,
		const char *verity_device, const uint8_t root_hash[32], char path[32], struct err *err);

#endif
