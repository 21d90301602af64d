/* The superblock that `veritysetup format` (cryptsetup 2.6.1) wrote, and damaged copies of it. */
#include "boot/verity_target.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "unit/test.h"

#define DATA_BYTES (512ULL * 4096)
#define TREE_BYTES (6ULL * 4096) /* superblock, root of the tree, four leaves */

static struct buf raw;
static struct verity_target target;
static struct err err;

static int read_superblock(void **state)
{
	(void)state;
	buf_free(&raw);
	return file_read("tests/data/boot/veritysetup.superblock", VERITY_SUPERBLOCK_BYTES, &raw, &err);
}

static int free_superblock(void **state)
{
	(void)state;
	buf_free(&raw);
	return 0;
}

static int parse(uint64_t data_bytes, uint64_t verity_bytes)
{
	return verity_target_parse((const uint8_t *)raw.data, data_bytes, verity_bytes, &target, &err);
}

static void the_table_is_what_the_kernel_s_document_asks_for(void **state)
{
	char table[VERITY_TABLE_MAX];
	uint8_t hash[32];
	(void)state;

	memset(hash, 0xab, sizeof hash);
	assert_int_equal(parse(DATA_BYTES, TREE_BYTES), 0);
	assert_true(verity_target_table(&target, "254:3", "254:4", hash, table, sizeof table) > 0);
	assert_string_equal(table, "1 254:3 254:4 4096 4096 512 1 sha256 "
				   "abababababababababababababababababababababababababababababababab "
				   "374f46c582ed6014506f0e5136bff960b7df86bf2df58b3a68cc5d08b904b43f "
				   "1 panic_on_corruption");
}

static void a_tree_without_salt_has_a_dash(void **state)
{
	char table[VERITY_TABLE_MAX];
	uint8_t hash[32] = {0};
	(void)state;

	raw.data[80] = 0;
	assert_int_equal(parse(DATA_BYTES, TREE_BYTES), 0);
	assert_true(verity_target_table(&target, "8:3", "8:4", hash, table, sizeof table) > 0);
	assert_non_null(strstr(table, " - 1 panic_on_corruption"));
	assert_int_equal(verity_target_table(&target, "8:3", "8:4", hash, table, 40), -EFBIG);
}

static void the_tree_is_as_large_as_veritysetup_says(void **state)
{
	(void)state;
	assert_int_equal(parse(DATA_BYTES, TREE_BYTES), 0);
	raw.data[72] = 2; /* a root of two blocks, below a tree of one */
	raw.data[73] = 0;
	assert_int_equal(parse(2 * 4096, 2 * 4096), 0);
	assert_int_equal(parse(2 * 4096, 2 * 4096 - 1), -EBADMSG);
	raw.data[72] = 1;
	assert_int_equal(parse(4096, 2 * 4096), -EBADMSG);
	assert_int_equal(verity_target_tree_blocks(512), 5);
	assert_int_equal(verity_target_tree_blocks(1), 0);
	assert_int_equal(verity_target_tree_blocks(128), 1);
	assert_int_equal(verity_target_tree_blocks(129), 3);
	assert_int_equal(verity_target_tree_blocks(262144), 2048 + 16 + 1);
}

static void a_root_larger_than_its_partition_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse(DATA_BYTES - 4096, TREE_BYTES), -EBADMSG);
	assert_string_equal(err.text, "512 data blocks, the root partition has 511");
}

static void a_tree_larger_than_its_partition_is_refused(void **state)
{
	(void)state;
	assert_int_equal(parse(DATA_BYTES, TREE_BYTES - 1), -EBADMSG);
	assert_string_equal(err.text, "a tree of 6 blocks, the verity partition has 5");
}

static void what_is_not_our_format_is_named(void **state)
{
	static const struct {
		size_t at;
		const char *bytes;
		size_t len;
		const char *why;
	} bad[] = {
		{0, "x", 1, "expected a dm-verity superblock, found none"},
		{8, "\2", 1, "expected version 1 and hash type 1, found 2 and 1"},
		{12, "\0", 1, "expected version 1 and hash type 1, found 1 and 0"},
		{32, "sha512", 6, "expected sha256, found sha512"},
		{64, "\0\2", 2, "expected blocks of 4096 bytes, found 512 and 4096"},
		{80, "\1\1", 2, "expected a salt of at most 256 bytes, found 257"},
		{72, "\377\377\377\377\377\377\377\377", 8,
		 "18446744073709551615 data blocks, the root partition has 512"},
		{72, "\0\0", 2, "0 data blocks, the root partition has 512"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(read_superblock(state), 0);
		memcpy(raw.data + bad[i].at, bad[i].bytes, bad[i].len);
		assert_int_equal(parse(DATA_BYTES, TREE_BYTES), -EBADMSG);
		assert_string_equal(err.text, bad[i].why);
	}
}

static void a_salt_may_be_as_long_as_the_superblock_has_room(void **state)
{
	char table[VERITY_TABLE_MAX];
	uint8_t hash[32] = {0};
	int len;
	(void)state;

	raw.data[80] = 0;
	raw.data[81] = 1;
	assert_int_equal(parse(DATA_BYTES, TREE_BYTES), 0);
	assert_int_equal(target.salt_bytes, 256);
	len = verity_target_table(&target, "8:3", "8:4", hash, table, sizeof table);
	assert_int_equal(len, strlen(table));
	assert_int_equal(verity_target_table(&target, "8:3", "8:4", hash, table, (size_t)len), -EFBIG);
	assert_int_equal(verity_target_table(&target, "8:3", "8:4", hash, table, (size_t)len + 1), len);
}

#define on_a_superblock(test) cmocka_unit_test_setup_teardown(test, read_superblock, free_superblock)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_a_superblock(the_table_is_what_the_kernel_s_document_asks_for),
		on_a_superblock(a_tree_without_salt_has_a_dash),
		on_a_superblock(the_tree_is_as_large_as_veritysetup_says),
		on_a_superblock(a_root_larger_than_its_partition_is_refused),
		on_a_superblock(a_tree_larger_than_its_partition_is_refused),
		on_a_superblock(what_is_not_our_format_is_named),
		on_a_superblock(a_salt_may_be_as_long_as_the_superblock_has_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
