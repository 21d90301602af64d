#include "lib/err.h"

#include "unit/test.h"

static void wrapping_puts_the_callers_act_in_front(void **state)
{
	struct err err;
	(void)state;

	assert_int_equal(err_set(&err, EINVAL, "no partition of type %s", "var"), -EINVAL);
	assert_int_equal(err_wrap(&err, -EINVAL, "grow %s", "state"), -EINVAL);
	assert_string_equal(err.text, "grow state: no partition of type var");
}

static void the_text_of_errno_stands_behind(void **state)
{
	struct err err;
	(void)state;

	errno = ENOENT;
	assert_int_equal(err_errno(&err, "open %s", "/x"), -ENOENT);
	assert_string_equal(err.text, "open /x: No such file or directory");
}

static void a_long_line_is_cut_and_ends(void **state)
{
	struct err err;
	char front[2000];
	(void)state;

	memset(front, 'a', sizeof front);
	front[sizeof front - 1] = 0;
	err_set(&err, EIO, "tail");
	err_wrap(&err, -EIO, "%s", front);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void no_err_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, EIO, "x"), -EIO);
	assert_int_equal(err_wrap(NULL, -ENOENT, "x"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapping_puts_the_callers_act_in_front),
		cmocka_unit_test(the_text_of_errno_stands_behind),
		cmocka_unit_test(a_long_line_is_cut_and_ends),
		cmocka_unit_test(no_err_is_allowed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
