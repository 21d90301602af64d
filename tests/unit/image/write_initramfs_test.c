#include "boot/write_initramfs.h"

#include <archive.h>
#include <archive_entry.h>

#include "scratch.h"

#define MODULE "kernel/fs/erofs/erofs.ko"
#define MODULE_XZ "kernel/lib/libcrc32c.ko.xz"

static struct err err;
static char *paths[] = {(char *)MODULE_XZ, (char *)MODULE};
static const struct module_list list = {paths, 2};
static struct initramfs initramfs;

static const char module_text[] = "\177ELF made up";

static int make(void **state)
{
	char xz_directory[PATH_MAX];
	const char *argv[] = {"xz", "-q", xz_directory, NULL};
	const struct process xz = {.argv = argv};

	if (scratch_make(state))
		return -1;
	write_text(in_scratch("init"), "#! first program");
	write_text(in_scratch("kernel/fs/erofs/erofs.ko"), module_text);
	snprintf(xz_directory, sizeof xz_directory, "%s/kernel/lib/libcrc32c.ko", scratch);
	write_text(xz_directory, module_text);
	return process_run_ok(&xz, NULL);
}

static int fresh(void **state)
{
	static char init[PATH_MAX], output[PATH_MAX];
	(void)state;

	strcpy(init, in_scratch("init"));
	strcpy(output, in_scratch("initramfs"));
	unlink(output);
	initramfs = (struct initramfs){init, scratch, &list, 1700000000, output};
	return 0;
}

/* What an independent cpio would list, and short contents. */
static void describe(const char *path, struct buf *text)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	char content[200];

	archive_read_support_filter_zstd(archive);
	archive_read_support_format_cpio(archive);
	assert_int_equal(archive_read_open_filename(archive, path, 4096), ARCHIVE_OK);
	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		la_ssize_t n = archive_read_data(archive, content, sizeof content - 1);

		content[n > 0 ? n : 0] = 0;
		buf_addf(text, "%06o %d/%d dev %u:%u ino %lld %lld %s", archive_entry_mode(entry),
			 (int)archive_entry_uid(entry), (int)archive_entry_gid(entry),
			 (unsigned)archive_entry_rdevmajor(entry), (unsigned)archive_entry_rdevminor(entry),
			 (long long)archive_entry_ino64(entry), (long long)archive_entry_mtime(entry),
			 archive_entry_pathname(entry));
		for (char *line = strtok(content, "\n"); line; line = strtok(NULL, "\n"))
			buf_addf(text, "\n         | %s", line[0] == 0x7f ? line + 1 : line);
		buf_addf(text, "\n");
	}
	archive_read_free(archive);
}

static void it_holds_init_the_console_and_modules_in_load_order(void **state)
{
	struct buf text = {0};
	(void)state;

	assert_int_equal(write_initramfs(&initramfs, &err), 0);
	describe(initramfs.output, &text);
	assert_golden("image/initramfs.txt", buf_string(&text));
	buf_free(&text);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	const char *first = initramfs.output;
	(void)state;

	assert_int_equal(write_initramfs(&initramfs, &err), 0);
	initramfs.output = in_scratch("again");
	assert_int_equal(write_initramfs(&initramfs, &err), 0);
	assert_same_file(first, initramfs.output);
}

static void a_module_that_is_no_elf_file_is_refused_and_nothing_is_left(void **state)
{
	char *wrong[] = {(char *)"init.ko"};
	const struct module_list modules = {wrong, 1};
	size_t before;
	(void)state;

	write_text(in_scratch("init.ko"), "hello");
	before = count_files();
	initramfs.modules = &modules;
	assert_int_equal(write_initramfs(&initramfs, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "init.ko: expected an ELF file, found something else"));
	assert_int_equal(count_files(), before);
}

static void a_missing_init_is_named_and_an_older_output_stays(void **state)
{
	struct buf text = {0};
	(void)state;

	write_text(initramfs.output, "old");
	initramfs.init = in_scratch("none");
	assert_int_equal(write_initramfs(&initramfs, &err), -ENOENT);
	assert_non_null(strstr(err.text, "none: No such file or directory"));
	assert_int_equal(file_read(initramfs.output, 10, &text, &err), 0);
	assert_string_equal(buf_string(&text), "old");
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_holds_init_the_console_and_modules_in_load_order, fresh),
		cmocka_unit_test_setup(the_same_input_gives_the_same_bytes, fresh),
		cmocka_unit_test_setup(a_module_that_is_no_elf_file_is_refused_and_nothing_is_left, fresh),
		cmocka_unit_test_setup(a_missing_init_is_named_and_an_older_output_stays, fresh),
	};
	return cmocka_run_group_tests(tests, make, scratch_remove);
}
