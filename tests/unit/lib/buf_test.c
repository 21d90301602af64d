#include "lib/buf.h"

#include "lib/cleanup.h"
#include "unit/test.h"

static void nothing_in_it_is_an_empty_string(void **state)
{
	_cleanup_(buf_free) struct buf buf = {0};
	(void)state;

	assert_string_equal(buf_string(&buf), "");
	assert_int_equal(buf_add(&buf, NULL, 0), 0);
	assert_string_equal(buf_string(&buf), "");
	assert_int_equal(buf.len, 0);
}

static void it_grows_only_when_it_is_full(void **state)
{
	static const char text[256];
	_cleanup_(buf_free) struct buf buf = {0};
	(void)state;

	assert_int_equal(buf_add(&buf, text, 63), 0); /* and the NUL behind */
	assert_int_equal(buf.room, 64);
	assert_int_equal(buf_add(&buf, text, 0), 0);
	assert_int_equal(buf.room, 64);
	assert_int_equal(buf_add(&buf, text, 1), 0);
	assert_int_equal(buf.room, 128);
	assert_int_equal(buf_add(&buf, text, 128), 0);
	assert_int_equal(buf.room, 256);
	assert_int_equal(buf.len, 192);
}

static void the_bound_is_kept_to_the_byte(void **state)
{
	_cleanup_(buf_free) struct buf buf = {.max = 5};
	(void)state;

	assert_int_equal(buf_add(&buf, "123456", 6), -EFBIG);
	assert_int_equal(buf_add_string(&buf, "12"), 0);
	assert_int_equal(buf_addf(&buf, "%d", 3456), -EFBIG);
	assert_int_equal(buf_add(&buf, "3456", 4), -EFBIG);
	assert_string_equal(buf_string(&buf), "12");
	assert_int_equal(buf_addf(&buf, "%d", 345), 0);
	assert_string_equal(buf_string(&buf), "12345");
	assert_int_equal(buf_add(&buf, "6", 1), -EFBIG);
	assert_int_equal(buf.len, 5);
	buf_free(&buf);
	assert_int_equal(buf.max, 5);
	assert_int_equal(buf_add(&buf, "123456", 6), -EFBIG);
}

static void without_a_bound_of_its_own_it_has_one(void **state)
{
	_cleanup_(buf_free) struct buf buf = {0};
	_cleanup_free_ char *most = calloc(1, BUF_DEFAULT_MAX + 1);
	(void)state;

	assert_non_null(most);
	assert_int_equal(buf_add(&buf, most, BUF_DEFAULT_MAX + 1), -EFBIG);
	assert_int_equal(buf_add(&buf, most, BUF_DEFAULT_MAX), 0);
	assert_int_equal(buf_add(&buf, most, 1), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_in_it_is_an_empty_string),
		cmocka_unit_test(it_grows_only_when_it_is_full),
		cmocka_unit_test(the_bound_is_kept_to_the_byte),
		cmocka_unit_test(without_a_bound_of_its_own_it_has_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
