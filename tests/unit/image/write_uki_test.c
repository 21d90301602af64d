#include "boot/write_uki.h"

#include "scratch.h"
#include "stub.h"

#define KERNEL_BYTES 5000

static struct err err;
static struct uki uki;

/* The first bytes of a bzImage with an EFI stub, which is all that is looked at. */
static void write_kernel(const char *mz, const char *hdrs)
{
	char kernel[KERNEL_BYTES];
	FILE *file = fopen(in_scratch("kernel"), "w");

	memset(kernel, 'k', sizeof kernel);
	memcpy(kernel, mz, 2);
	memcpy(kernel + 0x202, hdrs, 4);
	assert_non_null(file);
	assert_int_equal(fwrite(kernel, 1, sizeof kernel, file), sizeof kernel);
	fclose(file);
}

static int fresh(void **state)
{
	uint8_t stub[STUB_BYTES];
	static char paths[4][PATH_MAX];
	(void)state;

	make_stub(stub);
	strcpy(paths[0], in_scratch("stub"));
	strcpy(paths[1], in_scratch("kernel"));
	strcpy(paths[2], in_scratch("initramfs"));
	strcpy(paths[3], in_scratch("uki.efi"));
	unlink(paths[3]);
	write_kernel("MZ", "HdrS");
	write_pattern(paths[2], 3000, 7);
	uki = (struct uki){paths[0],	      paths[1],
			   paths[2],	      "ID=keelson\nIMAGE_VERSION=1.4.0\n",
			   "gpt roothash=00", "6.1.0-57-cloud-amd64",
			   paths[3]};
	return file_write_atomic(paths[0], stub, sizeof stub, 0644, NULL);
}

static void the_section_table_is_as_planned(void **state)
{
	struct buf file = {0}, text = {0};
	(void)state;

	assert_int_equal(write_uki(&uki, &err), 0);
	assert_int_equal(file_read(uki.output, 1 << 20, &file, &err), 0);
	assert_int_equal(describe_uki(file.data, file.len, &text, &err), 0);
	assert_golden("image/uki_table.txt", buf_string(&text));
	buf_free(&file);
	buf_free(&text);
}

/* Another reader of PE files agrees, and gives every part back byte by byte. */
static void objcopy_gives_back_what_was_put_in(void **state)
{
	const char *out = in_scratch("part");
	char linux_part[PATH_MAX + 20], cmdline_part[PATH_MAX + 20];
	const char *argv[] = {"objcopy",	"-O",	      "binary",	  "--dump-section", linux_part,
			      "--dump-section", cmdline_part, uki.output, "/dev/null",	    NULL};
	struct buf said = {0}, cmdline = {0};
	(void)state;

	snprintf(linux_part, sizeof linux_part, ".linux=%s", out);
	snprintf(cmdline_part, sizeof cmdline_part, ".cmdline=%s", in_scratch("cmdline"));
	assert_int_equal(write_uki(&uki, &err), 0);
	run_into(argv, &said);
	assert_same_file(out, uki.kernel);
	assert_int_equal(file_read(in_scratch("cmdline"), 100, &cmdline, &err), 0);
	assert_string_equal(buf_string(&cmdline), uki.cmdline);
	buf_free(&said);
	buf_free(&cmdline);
}

/* Independent of the writer: the sum is taken over the file as it is, then the field's own share is taken out. */
static void the_checksum_is_right(void **state)
{
	struct buf file = {0};
	uint64_t sum = 0;
	uint32_t found;
	(void)state;

	assert_int_equal(write_uki(&uki, &err), 0);
	assert_int_equal(file_read(uki.output, 1 << 20, &file, &err), 0);
	found = get32((uint8_t *)file.data + STUB_OPTIONAL + OPTIONAL_CHECKSUM);
	memset(file.data + STUB_OPTIONAL + OPTIONAL_CHECKSUM, 0, 4);
	for (size_t i = 0; i < file.len; i += 2)
		sum += get16((uint8_t *)file.data + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	assert_int_equal(found, sum + file.len);
	buf_free(&file);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	const char *first = uki.output;
	(void)state;

	assert_int_equal(write_uki(&uki, &err), 0);
	uki.output = in_scratch("again.efi");
	assert_int_equal(write_uki(&uki, &err), 0);
	assert_same_file(first, uki.output);
}

static void what_is_no_kernel_is_refused_and_nothing_is_left(void **state)
{
	char expected[PATH_MAX + 100];
	(void)state;

	write_kernel("MZ", "nope");
	assert_int_equal(write_uki(&uki, &err), -EBADMSG);
	snprintf(expected, sizeof expected, "unified kernel image: %s: expected a bzImage, found something else",
		 uki.kernel);
	assert_string_equal(err.text, expected);
	write_kernel("\xea\x05", "HdrS");
	assert_int_equal(write_uki(&uki, &err), -EBADMSG);
	assert_int_equal(access(uki.output, F_OK), -1);
}

static void a_stub_that_is_none_is_refused(void **state)
{
	(void)state;
	write_text(uki.stub, "#!/bin/sh\n");
	assert_int_equal(write_uki(&uki, &err), -EBADMSG);
	assert_string_equal(err.text, "unified kernel image: EFI stub: expected a PE file (MZ), found something else");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_section_table_is_as_planned, fresh),
		cmocka_unit_test_setup(objcopy_gives_back_what_was_put_in, fresh),
		cmocka_unit_test_setup(the_checksum_is_right, fresh),
		cmocka_unit_test_setup(the_same_input_gives_the_same_bytes, fresh),
		cmocka_unit_test_setup(what_is_no_kernel_is_refused_and_nothing_is_left, fresh),
		cmocka_unit_test_setup(a_stub_that_is_none_is_refused, fresh),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
