/* Why the boot before ended: the reason in a kernel's log, and records in their order. */
#include "unit/test.h"

#include <sys/stat.h>

#include "storage/last_words.h"

static void reason_of(const char *log, const char *expected)
{
	char reason[LAST_WORDS_REASON];

	assert_int_equal(find_reason(log, strlen(log), reason), *expected != 0);
	assert_string_equal(reason, expected);
}

static void test_a_panic_goes_before_an_oops(void **state)
{
	(void)state;
	reason_of("Panic#1 Part1\n<1>[   2.1] BUG: kernel NULL pointer dereference\n"
		  "<0>[   2.2] Kernel panic - not syncing: Fatal exception \n<0>[   2.3] Kernel Offset: 0x1\n",
		  "Kernel panic - not syncing: Fatal exception");
	reason_of("Oops#1 Part1\n<1>[ 2.1] BUG: unable to handle page fault", "BUG: unable to handle page fault");
	reason_of("<6>[ 2.1] eth0: link up\n", "");
	reason_of("", "");
}

static void test_a_reason_is_bounded_and_clean(void **state)
{
	char log[512] = "BUG: \x1b[2J", reason[LAST_WORDS_REASON];
	size_t len = strlen(log);

	(void)state;
	memset(log + len, 'x', sizeof log - len); /* no NUL, no end of line */
	assert_true(find_reason(log, sizeof log, reason));
	assert_int_equal(strlen(reason), LAST_WORDS_REASON - 1);
	assert_memory_equal(reason, "BUG: ?[2Jxx", 11);
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_records_are_read_oldest_text_first(void **state)
{
	char folder[] = "/tmp/last-words-XXXXXX", command[64];
	struct buf text = {0}, names = {0};
	struct err err = {0};

	(void)state;
	assert_non_null(mkdtemp(folder));
	put(folder, "dmesg-efi-176467200101001", "end");
	put(folder, "dmesg-efi-176467200103001", "begin ");
	put(folder, "dmesg-efi-176467200102001", "middle ");
	assert_int_equal(read_records(folder, &text, &names, &err), 3);
	assert_string_equal(text.data, "begin middle end");
	assert_string_equal(names.data, "dmesg-efi-176467200103001");
	buf_free(&text);
	buf_free(&names);
	assert_int_equal(read_records("/nowhere", &text, &names, &err), -ENOENT);
	snprintf(command, sizeof command, "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_panic_goes_before_an_oops),
		cmocka_unit_test(test_a_reason_is_bounded_and_clean),
		cmocka_unit_test(test_records_are_read_oldest_text_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
