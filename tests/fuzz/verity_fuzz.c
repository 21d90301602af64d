/* A dm-verity superblock from the disk: what was taken lies inside the two partitions, and its table fits. */
#include "fuzz.h"

#include "boot/verity_target.h"

#define DATA_BYTES ((uint64_t)1000 * 4096)
#define TREE_BYTES ((uint64_t)10 * 4096)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const uint8_t root_hash[32] = {1, 2, 3};
	struct verity_target target;
	uint8_t *raw = fuzz_copy(data, len < VERITY_SUPERBLOCK_BYTES ? len : VERITY_SUPERBLOCK_BYTES,
				 len < VERITY_SUPERBLOCK_BYTES ? VERITY_SUPERBLOCK_BYTES - len : 0);
	char table[VERITY_TABLE_MAX];
	struct err err = {""};

	if (verity_target_parse(raw, DATA_BYTES, TREE_BYTES, &target, &err) < 0) {
		PROMISE(err.text[0]);
	} else {
		int size = verity_target_table(&target, "254:3", "254:4", root_hash, table, sizeof table);

		PROMISE(target.data_blocks >= 2 && target.data_blocks <= DATA_BYTES / 4096);
		PROMISE(size > 0 && strlen(table) == (size_t)size);
	}
	free(raw);
	return 0;
}
