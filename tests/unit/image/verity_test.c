#include "disk/verity.h"

#include "scratch.h"

static struct verity verity;
static struct err err;

static void hex_of(const uint8_t *bytes, size_t len, char *text)
{
	for (size_t i = 0; i < len; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static void format(size_t blocks)
{
	write_pattern(in_scratch("root"), blocks * VERITY_BLOCK, 1);
	verity_name(&verity, "1.4.0");
	assert_int_equal(verity_format(in_scratch("root"), in_scratch("tree"), &verity, &err), 0);
}

/* The root hash was computed by veritysetup 2.6.1 from the same bytes, salt and UUID. */
static void the_root_hash_is_veritysetup_s(void **state)
{
	char hash[65];
	(void)state;

	format(300);
	hex_of(verity.root_hash, 32, hash);
	assert_string_equal(hash, "1fd21c266eafcfe7c7d5f74c7cdb6fa73deb775de62450beebca14fb48a639a2");
}

/* 2: one hash block; 128 and 129: full, and one over; 16385: three levels. */
static void veritysetup_makes_the_same_tree(void **state)
{
	static const size_t blocks[] = {2, 128, 129, 300, 16384, 16385};
	(void)state;

	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		char salt[65], uuid[37], hash[65];
		const char *theirs = in_scratch("theirs");
		const char *argv[] = {"veritysetup", "format",		 "--salt", salt, "--uuid",
				      uuid,	     in_scratch("root"), theirs,   NULL};
		struct buf said = {0};

		format(blocks[i]);
		hex_of(verity.salt, 32, salt);
		hex_of(verity.uuid, 16, uuid);
		for (size_t dash = 0; dash < 4; dash++) {
			size_t at = 8 + 5 * dash;

			memmove(uuid + at + 1, uuid + at, 32 + dash - at + 1);
			uuid[at] = '-';
		}
		unlink(theirs);
		run_into(argv, &said);
		assert_same_file(in_scratch("tree"), theirs);
		hex_of(verity.root_hash, 32, hash);
		if (!strstr(buf_string(&said), hash))
			fail_msg("%zu blocks: expected %s, veritysetup says %s", blocks[i], hash, buf_string(&said));
		buf_free(&said);
	}
}

static void the_size_of_a_tree_is_known_beforehand(void **state)
{
	struct stat st;
	(void)state;

	for (size_t blocks = 126; blocks < 131; blocks++) {
		format(blocks);
		assert_int_equal(stat(in_scratch("tree"), &st), 0);
		assert_int_equal(st.st_size, verity.tree_bytes);
		assert_int_equal(verity_tree_bytes(blocks), verity.tree_bytes);
	}
	/* a full slot of 1 GiB fits its 16 MiB */
	assert_true(verity_tree_bytes((1u << 30) / VERITY_BLOCK) <= 16u << 20);
}

static void one_flipped_byte_gives_another_root_hash(void **state)
{
	uint8_t before[32];
	FILE *file;
	(void)state;

	format(300);
	memcpy(before, verity.root_hash, 32);
	file = fopen(in_scratch("root"), "r+");
	assert_non_null(file);
	fseek(file, 123456, SEEK_SET);
	fputc(fgetc(file) ^ 1, file);
	fclose(file);
	assert_int_equal(verity_format(in_scratch("root"), in_scratch("tree"), &verity, &err), 0);
	assert_memory_not_equal(before, verity.root_hash, 32);
}

static void a_root_that_is_not_whole_blocks_is_refused(void **state)
{
	char expected[300];
	(void)state;

	write_pattern(in_scratch("root"), 3 * VERITY_BLOCK + 1, 1);
	assert_int_equal(verity_format(in_scratch("root"), in_scratch("tree"), &verity, &err), -EINVAL);
	snprintf(expected, sizeof expected,
		 "verity tree of %s: %s: expected two or more blocks of 4096 bytes, found 12289 bytes",
		 in_scratch("root"), in_scratch("root"));
	assert_string_equal(err.text, expected);
	write_pattern(in_scratch("root"), 0, 1);
	assert_int_equal(verity_format(in_scratch("root"), in_scratch("tree"), &verity, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_root_hash_is_veritysetup_s),
		cmocka_unit_test(veritysetup_makes_the_same_tree),
		cmocka_unit_test(the_size_of_a_tree_is_known_beforehand),
		cmocka_unit_test(one_flipped_byte_gives_another_root_hash),
		cmocka_unit_test(a_root_that_is_not_whole_blocks_is_refused),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
