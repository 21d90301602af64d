#include "storage/check_state.h"
#include "storage/format_state.h"
#include "storage/inspect_state.h"
#include "storage/size_text.h"

#include "unit/test.h"

static struct superblock ext4(const char *label, bool clean, bool error)
{
	struct superblock s = {.present = true, .clean = clean, .error = error, .bytes = (uint64_t)12 << 30};

	snprintf(s.label, sizeof s.label, "%s", label);
	return s;
}

static void what_was_never_used_or_was_wiped_is_formatted(void **state)
{
	struct state_content zeroes = {.wiped = true}, noise = {0};
	struct state_content earlier_life = {.wiped = true, .backup = ext4("state", true, false)};
	(void)state;

	assert_int_equal(decide_state(&zeroes), STATE_FORMAT);
	assert_int_equal(decide_state(&noise), STATE_FORMAT);
	assert_int_equal(decide_state(&earlier_life), STATE_FORMAT);
}

static void a_format_that_was_cut_is_done_again(void **state)
{
	struct state_content half = {.primary = ext4("formatting", true, false)};
	struct state_content torn = {.backup = ext4("formatting", false, true)};
	(void)state;

	assert_int_equal(decide_state(&half), STATE_FORMAT_AGAIN);
	assert_int_equal(decide_state(&torn), STATE_FORMAT_AGAIN);
}

static void a_file_system_is_checked_unless_it_was_unmounted_in_order(void **state)
{
	struct state_content clean = {.primary = ext4("state", true, false)};
	struct state_content cut = {.primary = ext4("state", false, false)};
	struct state_content error = {.primary = ext4("state", true, true)};
	struct state_content other_label = {.primary = ext4("", true, false)};
	(void)state;

	assert_int_equal(decide_state(&clean), STATE_MOUNT);
	assert_int_equal(decide_state(&cut), STATE_CHECK);
	assert_int_equal(decide_state(&error), STATE_CHECK);
	assert_int_equal(decide_state(&other_label), STATE_MOUNT);
}

static void damaged_data_is_never_formatted(void **state)
{
	struct state_content head_lost = {.backup = ext4("state", true, false)};
	struct state_content found = {.found = "ext4"};
	struct state_content every_copy_lost = {.in_use = true};
	struct state_content given_up = {.in_use = true, .wiped = true};
	(void)state;

	assert_int_equal(decide_state(&head_lost), STATE_CHECK);
	assert_int_equal(decide_state(&found), STATE_CHECK);
	assert_int_equal(decide_state(&every_copy_lost), STATE_REFUSE);
	assert_int_equal(decide_state(&given_up), STATE_FORMAT);
}

static void what_is_not_ours_is_refused(void **state)
{
	static const char *const kinds[] = {"xfs",
					    "LVM2_member",
					    "crypto_LUKS",
					    "swap",
					    "signatures of more than one kind",
					    "a partition table (gpt)"};
	(void)state;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct state_content content = {.wiped = i % 2};

		snprintf(content.found, sizeof content.found, "%s", kinds[i]);
		assert_int_equal(decide_state(&content), STATE_REFUSE);
	}
}

static void a_superblock_is_read_as_it_lies_on_the_disk(void **state)
{
	unsigned char bytes[1024] = {0};
	struct superblock s;
	(void)state;

	parse_superblock(bytes, &s);
	assert_false(s.present);
	memcpy(bytes + 0x04, "\x00\x00\x30\x00", 4); /* 3 Mi blocks */
	bytes[0x18] = 2;			     /* of 4096 bytes */
	bytes[0x38] = 0x53;
	bytes[0x39] = 0xef;
	bytes[0x3a] = 1;
	memcpy(bytes + 0x78, "sixteen--letters", 16);
	parse_superblock(bytes, &s);
	assert_true(s.present && s.clean && !s.error);
	assert_string_equal(s.label, "sixteen--letters");
	assert_true(s.bytes == (uint64_t)12 << 30);
	bytes[0x60] = 0x80 | 4;
	bytes[0x150] = 1;
	parse_superblock(bytes, &s);
	assert_true(s.present && !s.clean);
	assert_true(s.bytes == ((uint64_t)12 << 30) + ((uint64_t)1 << 44));
	bytes[0x18] = 6; /* 64 KiB, the largest there is */
	parse_superblock(bytes, &s);
	assert_true(s.present);
	bytes[0x18] = 7;
	parse_superblock(bytes, &s);
	assert_false(s.present);
}

static void five_percent_and_at_least_256_mib_are_reserved(void **state)
{
	(void)state;
	assert_int_equal(reserved_percent_100((uint64_t)100 << 30), 500);
	assert_int_equal(reserved_percent_100((uint64_t)5 << 30), 500);
	assert_int_equal(reserved_percent_100((uint64_t)2900 << 20), 883);
	assert_int_equal(reserved_percent_100((uint64_t)512 << 20), 5000);
	assert_int_equal(reserved_percent_100((uint64_t)100 << 20), 5000);
}

static void e2fsck_says_by_its_status_what_is_left_to_do(void **state)
{
	(void)state;
	assert_int_equal(judge_e2fsck(0), CHECK_CLEAN);
	assert_int_equal(judge_e2fsck(1), CHECK_CORRECTED);
	assert_int_equal(judge_e2fsck(2), CHECK_CORRECTED);
	assert_int_equal(judge_e2fsck(4), CHECK_UNCORRECTED);
	assert_int_equal(judge_e2fsck(5), CHECK_UNCORRECTED);
	assert_int_equal(judge_e2fsck(8), CHECK_FAILED);
	assert_int_equal(judge_e2fsck(12), CHECK_FAILED);
	assert_int_equal(judge_e2fsck(-ETIMEDOUT), CHECK_FAILED);
}

static void sizes_are_short(void **state)
{
	(void)state;
	assert_string_equal(SIZE_TEXT(0), "0 bytes");
	assert_string_equal(SIZE_TEXT((uint64_t)512 << 20), "512 MiB");
	assert_string_equal(SIZE_TEXT((uint64_t)2970 << 20), "2.9 GiB");
	assert_string_equal(SIZE_TEXT((uint64_t)10238 << 20), "9.9 GiB");
	assert_string_equal(SIZE_TEXT((uint64_t)10752 << 20), "10 GiB");
	assert_string_equal(SIZE_TEXT((uint64_t)12 << 30), "12 GiB");
	assert_string_equal(SIZE_TEXT(1023), "1023 bytes");
	assert_string_equal(SIZE_TEXT(1024), "1 KiB");
	assert_string_equal(SIZE_TEXT(UINT64_MAX), "15 EiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_never_used_or_was_wiped_is_formatted),
		cmocka_unit_test(a_format_that_was_cut_is_done_again),
		cmocka_unit_test(a_file_system_is_checked_unless_it_was_unmounted_in_order),
		cmocka_unit_test(damaged_data_is_never_formatted),
		cmocka_unit_test(what_is_not_ours_is_refused),
		cmocka_unit_test(a_superblock_is_read_as_it_lies_on_the_disk),
		cmocka_unit_test(five_percent_and_at_least_256_mib_are_reserved),
		cmocka_unit_test(e2fsck_says_by_its_status_what_is_left_to_do),
		cmocka_unit_test(sizes_are_short),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
