#include "boot/cmdline.h"

#include "unit/test.h"

#define HASH "3f9ac1d2e3f405162738495a6b7c8d9eafb0c1d2e3f405162738495a6b7c8d90"

static struct cmdline cmdline;
static struct err err;

static void the_image_s_own_command_line_names_the_root(void **state)
{
	(void)state;
	assert_int_equal(
		parse_cmdline("console=tty0 console=ttyS0 gpt panic=10 loglevel=4 roothash=" HASH "\n", &cmdline, &err),
		0);
	assert_true(cmdline.has_root);
	assert_int_equal(cmdline.root_hash[0], 0x3f);
	assert_int_equal(cmdline.root_hash[31], 0x90);
	assert_false(cmdline.panic_halt);
	assert_int_equal(cmdline.wait_seconds, 30);
}

static void our_keys_are_taken_and_others_left_to_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(parse_cmdline("keelson.panic=halt keelson.wait=90 root=/dev/sda \"dyndbg=file x.c +p\" "
				       "keelson.esp=C12A7328-F81F-11D2-BA4B-00A0C93EC93B quiet",
				       &cmdline, &err),
			 0);
	assert_true(cmdline.panic_halt);
	assert_int_equal(cmdline.wait_seconds, 90);
	assert_true(cmdline.has_esp);
	assert_int_equal(cmdline.esp[0], 0xc1);
	assert_false(cmdline.has_root);
}

static void every_key_may_stand_alone(void **state)
{
	static const char *const texts[] = {"roothash=" HASH, "keelson.esp=C12A7328-F81F-11D2-BA4B-00A0C93EC93B",
					    "keelson.panic=reboot", "keelson.wait=1", "other=1"};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(parse_cmdline(texts[i], &cmdline, &err), 0);
}

static void a_quoted_value_hides_no_key(void **state)
{
	(void)state;
	assert_int_equal(parse_cmdline("a=\"b roothash=" HASH "\" x", &cmdline, &err), 0);
	assert_false(cmdline.has_root);
}

static void what_follows_two_dashes_is_not_ours(void **state)
{
	(void)state;
	assert_int_equal(parse_cmdline("quiet -- keelson.wait=nonsense", &cmdline, &err), 0);
}

static void wrong_values_are_named(void **state)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"roothash=3f9a", "command line: roothash: expected 64 hexadecimal digits, found \"3f9a\""},
		{"roothash=", "command line: roothash: expected 64 hexadecimal digits, found \"\""},
		{"keelson.wait=0", "command line: keelson.wait: expected 1 to 600 seconds, found \"0\""},
		{"keelson.wait=601", "command line: keelson.wait: expected 1 to 600 seconds, found \"601\""},
		{"keelson.wait=99999999999999999999", "command line: keelson.wait: expected 1 to 600 seconds, found "
						      "\"99999999999999999999\""},
		{"keelson.wait=5s", "command line: keelson.wait: expected 1 to 600 seconds, found \"5s\""},
		{"keelson.panic=yes", "command line: keelson.panic: expected halt or reboot, found \"yes\""},
		{"keelson.esp=12", "command line: keelson.esp: expected a partition's UUID, found \"12\""},
	};
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		assert_int_equal(parse_cmdline(bad[i].text, &cmdline, &err), -EINVAL);
		assert_string_equal(err.text, bad[i].why);
	}
}

static void two_different_roots_are_refused_and_the_same_twice_is_not(void **state)
{
	(void)state;
	assert_int_equal(parse_cmdline("roothash=" HASH " roothash=" HASH, &cmdline, &err), 0);
	assert_int_equal(parse_cmdline("roothash=" HASH " roothash=00" HASH, &cmdline, &err), -EINVAL);
	assert_int_equal(parse_cmdline("roothash=" HASH
				       " roothash=0000000000000000000000000000000000000000000000000000000000000000",
				       &cmdline, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "expected one value"));
}

static void a_command_line_beyond_the_bound_is_refused(void **state)
{
	char text[CMDLINE_MAX + 2];
	(void)state;

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	assert_int_equal(parse_cmdline(text, &cmdline, &err), -EINVAL);
	text[CMDLINE_MAX] = 0;
	assert_int_equal(parse_cmdline(text, &cmdline, &err), 0);
}

static void ten_minutes_are_waited_at_most(void **state)
{
	(void)state;
	assert_int_equal(parse_cmdline("keelson.wait=600", &cmdline, &err), 0);
	assert_int_equal(cmdline.wait_seconds, 600);
	assert_int_equal(parse_cmdline("keelson.wait=0001", &cmdline, &err), 0);
	assert_int_equal(cmdline.wait_seconds, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_image_s_own_command_line_names_the_root),
		cmocka_unit_test(our_keys_are_taken_and_others_left_to_the_kernel),
		cmocka_unit_test(every_key_may_stand_alone),
		cmocka_unit_test(a_quoted_value_hides_no_key),
		cmocka_unit_test(what_follows_two_dashes_is_not_ours),
		cmocka_unit_test(wrong_values_are_named),
		cmocka_unit_test(two_different_roots_are_refused_and_the_same_twice_is_not),
		cmocka_unit_test(a_command_line_beyond_the_bound_is_refused),
		cmocka_unit_test(ten_minutes_are_waited_at_most),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
