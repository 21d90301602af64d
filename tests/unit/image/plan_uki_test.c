#include "boot/write_uki.h"

#include "stub.h"
#include "unit/test.h"

static uint8_t stub[STUB_BYTES];
static struct uki_plan plan;
static struct err err;
static const struct uki_part parts[] = {
	{".osrel", 267}, {".cmdline", 124}, {".uname", 20}, {".initrd", 962168}, {".linux", 14190528}};

static int fresh(void **state)
{
	(void)state;
	make_stub(stub);
	return 0;
}

static int plan_all(void)
{
	return plan_uki(stub, sizeof stub, parts, 5, &plan, &err);
}

static void parts_lie_on_pages_behind_the_stub_and_do_not_overlap(void **state)
{
	struct buf text = {0};
	(void)state;

	assert_int_equal(plan_all(), 0);
	for (size_t i = 0; i < plan.count; i++)
		buf_addf(&text, "%-8s memory %08x %-9u file %08x %u\n", plan.sections[i].name, plan.sections[i].address,
			 plan.sections[i].virtual_size, plan.sections[i].offset, plan.sections[i].raw_size);
	buf_addf(&text, "%u sections, image %u, file %llu\n", plan.section_count, plan.image_size,
		 (unsigned long long)plan.file_size);
	assert_golden("image/uki_plan.txt", buf_string(&text));
	buf_free(&text);
}

static void symbols_behind_the_last_section_are_dropped(void **state)
{
	(void)state;
	assert_int_equal(plan_all(), 0);
	assert_int_equal(plan.stub_bytes, 0x800);
	assert_int_equal(plan.sections[0].offset, 0x800);
}

static void more_headers_than_the_stub_has_room_for_are_refused(void **state)
{
	(void)state;
	put32(stub + STUB_OPTIONAL + OPTIONAL_HEADERS_SIZE, STUB_TABLE + 4 * SECTION_BYTES);
	assert_int_equal(plan_all(), -ENOSPC);
	assert_string_equal(err.text, "EFI stub: expected room for 5 section headers, found room for 2");
}

static void a_part_beyond_what_loaders_address_is_refused(void **state)
{
	const struct uki_part big = {".initrd", (uint64_t)3 << 30};
	const struct uki_part last = {".initrd", ((uint64_t)1 << 31) - 0x6000}, more = {".initrd", last.size + 1};
	(void)state;

	assert_int_equal(plan_uki(stub, sizeof stub, &big, 1, &plan, &err), -EFBIG);
	assert_int_equal(plan_uki(stub, sizeof stub, &last, 1, &plan, &err), 0);
	assert_int_equal(plan_uki(stub, sizeof stub, &more, 1, &plan, &err),
			 -EFBIG); /* in memory, not yet in the file */
}

static void an_empty_part_is_refused(void **state)
{
	const struct uki_part empty = {".linux", 0};
	(void)state;

	assert_int_equal(plan_uki(stub, sizeof stub, &empty, 1, &plan, &err), -EBADMSG);
	assert_string_equal(err.text, "section .linux: expected content, found none");
}

/* One field at a time is made wrong; each is refused, none is followed. */
static void a_stub_that_contradicts_itself_is_refused(void **state)
{
	static const struct {
		size_t at;
		uint32_t value;
		size_t bytes;
	} wrong[] = {
		{0, 0, 2},
		{DOS_PE_OFFSET, 0xfffffff0, 4},
		{DOS_PE_OFFSET, STUB_BYTES - 4, 4},
		{STUB_PE, 0x1234, 2},
		{STUB_PE + PE_SECTIONS, 0, 2},
		{STUB_PE + PE_SECTIONS, 0xffff, 2},
		{STUB_PE + PE_OPTIONAL_SIZE, 0xffff, 2},
		{STUB_PE + PE_OPTIONAL_SIZE, 0, 2},
		{STUB_OPTIONAL, 0x10b, 2},
		{STUB_OPTIONAL + OPTIONAL_FILE_ALIGNMENT, 0, 4},
		{STUB_OPTIONAL + OPTIONAL_FILE_ALIGNMENT, 0x201, 4},
		{STUB_OPTIONAL + OPTIONAL_SECTION_ALIGNMENT, 0x80000000, 4},
		{STUB_OPTIONAL + OPTIONAL_HEADERS_SIZE, 0xffffffff, 4},
		{STUB_TABLE + SECTION_OFFSET, 0xfffffe00, 4},
		{STUB_TABLE + SECTION_OFFSET, 0x10, 4},
		{STUB_TABLE + SECTION_RAW_SIZE, 0xffffffff, 4},
		{STUB_TABLE + SECTION_ADDRESS, 0xfffffff0, 4},
		{STUB_TABLE + SECTION_VIRTUAL_SIZE, 0xffffffff, 4},
		{STUB_TABLE, '/', 2},
	};
	(void)state;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		make_stub(stub);
		if (wrong[i].bytes == 2)
			put16(stub + wrong[i].at, (uint16_t)wrong[i].value);
		else
			put32(stub + wrong[i].at, wrong[i].value);
		if (plan_all() != -EBADMSG)
			fail_msg("row %zu: expected -EBADMSG", i);
	}
}

static void a_stub_cut_anywhere_is_refused_or_read_within_its_bounds(void **state)
{
	(void)state;
	for (size_t len = 0; len < 0x800; len++) {
		uint8_t *cut = malloc(len ? len : 1); /* so that the sanitizer sees a read behind it */

		assert_non_null(cut);
		memcpy(cut, stub, len);
		assert_int_equal(plan_uki(cut, len, parts, 5, &plan, &err), -EBADMSG);
		free(cut);
	}
	assert_int_equal(plan_uki(stub, 0x800, parts, 5, &plan, &err), 0);
}

static void an_alignment_has_bounds(void **state)
{
	static const struct {
		uint32_t value;
		int r;
	} rows[] = {{8, -EBADMSG}, {16, 0}, {24, -EBADMSG}, {1 << 20, 0}, {1 << 21, -EBADMSG}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		put32(stub + STUB_OPTIONAL + OPTIONAL_FILE_ALIGNMENT, rows[i].value);
		assert_int_equal(plan_all(), rows[i].r);
	}
}

static void sections_of_the_stub_may_stand_in_any_order(void **state)
{
	(void)state;
	stub_section(stub, 0, ".sbat", 0x5000, 0xe2, 0x600, 0x200);
	stub_section(stub, 1, ".text", 0x4000, 0x123, 0x400, 0x200);
	assert_int_equal(plan_all(), 0);
	assert_int_equal(plan.stub_bytes, 0x800);
	assert_int_equal(plan.sections[0].address, 0x6000);
}

static void a_section_without_bytes_in_the_file_may_lie_anywhere_in_it(void **state)
{
	(void)state;
	stub_section(stub, 1, ".bss", 0x5000, 0xe2, 0, 0);
	assert_int_equal(plan_all(), 0);
	assert_int_equal(plan.stub_bytes, 0x600);
	stub_section(stub, 1, ".bss", 0x5000, 0xe2, 0x900, 0);
	assert_int_equal(plan_all(), 0);
	assert_int_equal(plan.stub_bytes, 0x600);
}

static void expect_refusal(const uint8_t *bytes, size_t len, const char *why)
{
	assert_int_equal(plan_uki(bytes, len, parts, 5, &plan, &err), -EBADMSG);
	assert_string_equal(err.text, why);
}

static void headers_cut_short_are_named(void **state)
{
	const size_t fixed = STUB_OPTIONAL + OPTIONAL_FIXED;
	(void)state;

	expect_refusal(stub, 63, "EFI stub: expected a PE file (MZ), found something else");
	expect_refusal(stub, 64, "EFI stub: expected PE headers at offset 128, found none");
	expect_refusal(stub, fixed - 1, "EFI stub: expected PE headers at offset 128, found none");
	snprintf(err.text, sizeof err.text, "EFI stub: 2 sections do not fit a file of %zu bytes", fixed);
	expect_refusal(stub, fixed, strdupa(err.text));
}

static void headers_fill_their_room_to_the_last_byte(void **state)
{
	const size_t end = STUB_TABLE + 2 * SECTION_BYTES;
	struct buf text = {0};
	(void)state;

	put32(stub + STUB_OPTIONAL + OPTIONAL_HEADERS_SIZE, STUB_TABLE + 7 * SECTION_BYTES);
	assert_int_equal(plan_all(), 0);
	put32(stub + STUB_OPTIONAL + OPTIONAL_HEADERS_SIZE, STUB_TABLE + 7 * SECTION_BYTES - 1);
	assert_int_equal(plan_all(), -ENOSPC);
	put32(stub + STUB_OPTIONAL + OPTIONAL_HEADERS_SIZE, (uint32_t)end);
	assert_int_equal(describe_uki(stub, end, &text, &err), 0); /* a file of headers and nothing else */
	assert_int_equal(describe_uki(stub, end - 1, &text, &err), -EBADMSG);
	buf_free(&text);
}

static void the_optional_header_may_end_with_its_fixed_part(void **state)
{
	(void)state;
	put16(stub + STUB_PE + PE_OPTIONAL_SIZE, OPTIONAL_FIXED);
	memmove(stub + STUB_OPTIONAL + OPTIONAL_FIXED, stub + STUB_TABLE, 2 * SECTION_BYTES);
	assert_int_equal(plan_all(), 0);
	put16(stub + STUB_PE + PE_OPTIONAL_SIZE, OPTIONAL_FIXED - 1);
	memmove(stub + STUB_OPTIONAL + OPTIONAL_FIXED - 1, stub + STUB_OPTIONAL + OPTIONAL_FIXED, 2 * SECTION_BYTES);
	assert_int_equal(plan_all(), -EBADMSG);
}

/* A stub that is longer in the file than in memory: there the end is met first. */
static void a_part_beyond_what_loaders_address_in_the_file_is_refused(void **state)
{
	static uint8_t large[0x9000];
	const struct uki_part last = {".initrd", ((uint64_t)1 << 31) - 0x8600}, more = {".initrd", last.size + 1};
	(void)state;

	memcpy(large, stub, sizeof stub);
	stub_section(large, 1, ".sbat", 0x5000, 0xe2, 0x600, 0x8000);
	assert_int_equal(plan_uki(large, sizeof large, &last, 1, &plan, &err), 0);
	assert_int_equal(plan.sections[0].offset, 0x8600);
	assert_int_equal(plan_uki(large, sizeof large, &more, 1, &plan, &err), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(parts_lie_on_pages_behind_the_stub_and_do_not_overlap, fresh),
		cmocka_unit_test_setup(symbols_behind_the_last_section_are_dropped, fresh),
		cmocka_unit_test_setup(more_headers_than_the_stub_has_room_for_are_refused, fresh),
		cmocka_unit_test_setup(a_part_beyond_what_loaders_address_is_refused, fresh),
		cmocka_unit_test_setup(an_empty_part_is_refused, fresh),
		cmocka_unit_test_setup(a_stub_that_contradicts_itself_is_refused, fresh),
		cmocka_unit_test_setup(a_stub_cut_anywhere_is_refused_or_read_within_its_bounds, fresh),
		cmocka_unit_test_setup(an_alignment_has_bounds, fresh),
		cmocka_unit_test_setup(sections_of_the_stub_may_stand_in_any_order, fresh),
		cmocka_unit_test_setup(a_section_without_bytes_in_the_file_may_lie_anywhere_in_it, fresh),
		cmocka_unit_test_setup(headers_cut_short_are_named, fresh),
		cmocka_unit_test_setup(headers_fill_their_room_to_the_last_byte, fresh),
		cmocka_unit_test_setup(the_optional_header_may_end_with_its_fixed_part, fresh),
		cmocka_unit_test_setup(a_part_beyond_what_loaders_address_in_the_file_is_refused, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
