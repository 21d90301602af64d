/* The dm-verity hash tree of a root: superblock and tree, as `veritysetup format` writes them.
 *
 * Format 1, sha256, data and hash blocks of 4096 bytes. Source: kernel
 * Documentation/admin-guide/device-mapper/verity.rst and cryptsetup's "DMVerity" page (superblock).
 */
#ifndef KEELSON_VERITY_H
#define KEELSON_VERITY_H

#include <stdint.h>

#include "lib/err.h"

#define VERITY_BLOCK 4096u
#define VERITY_HASH_BYTES 32u

struct verity {
	/* given */
	uint8_t salt[32];
	uint8_t uuid[16];
	/* found */
	uint64_t data_blocks;
	uint64_t tree_bytes; /* superblock included */
	uint8_t root_hash[VERITY_HASH_BYTES];
};

/* Bytes that superblock and tree of so many data blocks take. Pure. */
uint64_t verity_tree_bytes(uint64_t data_blocks);

/* Salt and UUID from the image's version, so that the same root gives the same hash. Pure. */
void verity_name(struct verity *verity, const char *version);

/* Hash the file ROOT (whole blocks of 4096 bytes, at least two) and write superblock and tree to TREE, replaced
 * atomically.
 */
int verity_format(const char *root, const char *tree, struct verity *verity, struct err *err);

#endif
