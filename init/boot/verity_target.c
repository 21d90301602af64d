/* dm-verity: what its superblock says, checked, and the table for the kernel.
 *
 * The superblock is as untrusted as the disk. It can only make the tree not match the root hash of the command line;
 * sizes are checked here so that this is told as an error, not as a corruption.
 * Source: Documentation/admin-guide/device-mapper/verity.rst; cryptsetup's on-disk format for the superblock.
 */
#include "boot/verity_target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/hex.h"
#include "lib/little_endian.h"

#define BLOCK 4096ULL
#define HASHES_PER_BLOCK (BLOCK / 32)

uint64_t verity_target_tree_blocks(uint64_t data_blocks)
{
	uint64_t total = 0;

	while (data_blocks > 1) {
		data_blocks = (data_blocks + HASHES_PER_BLOCK - 1) / HASHES_PER_BLOCK;
		total += data_blocks;
	}
	return total;
}

static int check_format(const uint8_t *raw, struct err *err)
{
	if (memcmp(raw, "verity\0\0", 8))
		return err_set(err, EBADMSG, "expected a dm-verity superblock, found none");
	if (le32_at(raw + 8) != 1 || le32_at(raw + 12) != 1)
		return err_set(err, EBADMSG, "expected version 1 and hash type 1, found %u and %u", le32_at(raw + 8),
			       le32_at(raw + 12));
	if (strncmp((const char *)raw + 32, "sha256", 32))
		return err_set(err, EBADMSG, "expected sha256, found %.32s", (const char *)raw + 32);
	if (le32_at(raw + 64) != BLOCK || le32_at(raw + 68) != BLOCK)
		return err_set(err, EBADMSG, "expected blocks of 4096 bytes, found %u and %u", le32_at(raw + 64),
			       le32_at(raw + 68));
	return 0;
}

int verity_target_parse(const uint8_t raw[VERITY_SUPERBLOCK_BYTES], uint64_t data_bytes, uint64_t verity_bytes,
			struct verity_target *verity, struct err *err)
{
	int r = check_format(raw, err);

	memset(verity, 0, sizeof *verity);
	if (r < 0)
		return r;
	verity->data_blocks = le64_at(raw + 72);
	verity->salt_bytes = le16_at(raw + 80);
	if (verity->salt_bytes > VERITY_SALT_MAX)
		return err_set(err, EBADMSG, "expected a salt of at most %d bytes, found %u", VERITY_SALT_MAX,
			       verity->salt_bytes);
	if (verity->data_blocks < 2 || verity->data_blocks > data_bytes / BLOCK)
		return err_set(err, EBADMSG, "%llu data blocks, the root partition has %llu",
			       (unsigned long long)verity->data_blocks, (unsigned long long)(data_bytes / BLOCK));
	/* One block for the superblock, then the tree. */
	if (verity_target_tree_blocks(verity->data_blocks) + 1 > verity_bytes / BLOCK)
		return err_set(err, EBADMSG, "a tree of %llu blocks, the verity partition has %llu",
			       (unsigned long long)verity_target_tree_blocks(verity->data_blocks) + 1,
			       (unsigned long long)(verity_bytes / BLOCK));
	memcpy(verity->salt, raw + 88, verity->salt_bytes);
	return 0;
}

int verity_target_table(const struct verity_target *verity, const char *data_device, const char *verity_device,
			const uint8_t root_hash[32], char *table, size_t room)
{
	char root[65], salt[2 * VERITY_SALT_MAX + 1] = "-";
	int n;

	hex_text(root_hash, 32, root);
	if (verity->salt_bytes)
		hex_text(verity->salt, verity->salt_bytes, salt);
	n = snprintf(table, room, "1 %s %s 4096 4096 %llu 1 sha256 %s %s 1 panic_on_corruption", data_device,
		     verity_device, (unsigned long long)verity->data_blocks, root, salt);
	return (size_t)n >= room ? -EFBIG : n;
}
