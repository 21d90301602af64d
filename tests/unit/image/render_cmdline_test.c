#include "boot/render_cmdline.h"

#include <stdbool.h>

#include "lib/file.h"
#include "unit/test.h"

static struct buf line;
static struct err err;
static uint8_t hash[32];

static int make(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof hash; i++)
		hash[i] = (uint8_t)(i * 7 + 1);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	buf_free(&line);
	return 0;
}

static void the_command_line_is_one_line_with_the_root_hash(void **state)
{
	struct buf template = {0};
	(void)state;

	assert_int_equal(file_read("kernel/cmdline", 8192, &template, &err), 0);
	assert_int_equal(render_cmdline(buf_string(&template), hash, "keelson.debug  quiet", &line, &err), 0);
	assert_golden("image/cmdline.txt", buf_string(&line));
	buf_free(&template);
}

static void the_backup_table_is_always_used(void **state)
{
	struct buf template = {0};
	(void)state;

	assert_int_equal(file_read("kernel/cmdline", 8192, &template, &err), 0);
	assert_int_equal(render_cmdline(buf_string(&template), hash, NULL, &line, &err), 0);
	assert_non_null(strstr(buf_string(&line), " gpt "));
	buf_free(&template);
}

static void a_template_without_the_root_hash_is_refused(void **state)
{
	(void)state;
	assert_int_equal(render_cmdline("quiet # roothash=@ROOTHASH@\n", hash, NULL, &line, &err), -EINVAL);
	assert_string_equal(err.text, "command line: expected @ROOTHASH@ once, found none");
}

static void a_second_root_hash_is_refused(void **state)
{
	(void)state;
	assert_int_equal(render_cmdline("roothash=@ROOTHASH@", hash, "roothash=@ROOTHASH@", &line, &err), -EINVAL);
	assert_string_equal(err.text, "command line: expected @ROOTHASH@ once, found it again");
	assert_int_equal(render_cmdline("roothash=@ROOTHASH@", hash, "quiet roothash=00", &line, &err), -EINVAL);
	assert_string_equal(err.text, "command line: expected roothash= once, found it again");
}

static void bytes_beyond_ascii_are_refused(void **state)
{
	(void)state;
	assert_int_equal(render_cmdline("roothash=@ROOTHASH@ n\xc3\xa4me=1", hash, NULL, &line, &err), -EINVAL);
	assert_string_equal(err.text, "command line: expected printable ASCII, found byte 0xc3");
}

static void a_command_line_that_the_kernel_would_cut_is_refused(void **state)
{
	enum { LEFT = 2047 - sizeof "roothash=" - 64 };
	char extra[LEFT + 2];
	(void)state;

	memset(extra, 'a', sizeof extra - 1);
	extra[sizeof extra - 1] = 0;
	assert_int_equal(render_cmdline("roothash=@ROOTHASH@", hash, extra + 1, &line, &err), 0);
	assert_int_equal(line.len, 2047);
	buf_free(&line);
	assert_int_equal(render_cmdline("roothash=@ROOTHASH@", hash, extra, &line, &err), -EFBIG);
	assert_string_equal(err.text, "command line: expected at most 2047 bytes, found 2048");
}

static void words_are_divided_by_one_blank(void **state)
{
	char *head;
	(void)state;

	assert_int_equal(render_cmdline("  a # b\n\n\tx@ROOTHASH@y  c#d ~", hash, " \n#e\n f", &line, &err), 0);
	head = strstr(line.data, "a x01080f");
	assert_ptr_equal(head, line.data);
	assert_string_equal(line.data + strlen("a x") + 64, "y c#d ~ f");
	buf_free(&line);
	assert_int_equal(render_cmdline("@ROOTHASH@ a\x01", hash, NULL, &line, &err), -EINVAL);
	buf_free(&line);
	assert_int_equal(render_cmdline("@ROOTHASH@ a\x7f", hash, NULL, &line, &err), -EINVAL);
	assert_string_equal(err.text, "command line: expected printable ASCII, found byte 0x7f");
}

static void every_byte_that_prints_may_be_in_it_and_no_other(void **state)
{
	char extra[8];
	(void)state;

	for (int c = 1; c < 256; c++) {
		bool blank = c == ' ' || c == '\t' || c == '\n';

		snprintf(extra, sizeof extra, "x%c", c);
		buf_free(&line);
		assert_int_equal(render_cmdline("roothash=@ROOTHASH@", hash, extra, &line, &err),
				 blank || (c > ' ' && c <= '~') ? 0 : -EINVAL);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(the_command_line_is_one_line_with_the_root_hash, forget),
		cmocka_unit_test_teardown(the_backup_table_is_always_used, forget),
		cmocka_unit_test_teardown(a_template_without_the_root_hash_is_refused, forget),
		cmocka_unit_test_teardown(a_second_root_hash_is_refused, forget),
		cmocka_unit_test_teardown(bytes_beyond_ascii_are_refused, forget),
		cmocka_unit_test_teardown(a_command_line_that_the_kernel_would_cut_is_refused, forget),
		cmocka_unit_test_teardown(words_are_divided_by_one_blank, forget),
		cmocka_unit_test_teardown(every_byte_that_prints_may_be_in_it_and_no_other, forget),
	};
	return cmocka_run_group_tests(tests, make, NULL);
}
