#include "lib/gunzip.h"

#include <limits.h>

#include "lib/cleanup.h"
#include "unit/test.h"

/* printf hello | gzip -n */
static const unsigned char hello[] = {0x1f, 0x8b, 8, 0, 0,    0,    0,	  0,	0, 3, 0xcb, 0x48, 0xcd,
				      0xc9, 0xc9, 7, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0,    0};

static void what_was_packed_comes_out(void **state)
{
	_cleanup_(buf_free) struct buf out = {0};
	struct err err;
	(void)state;

	assert_true(is_gzip(hello, sizeof hello));
	assert_true(is_gzip(hello, 2));
	assert_false(is_gzip(hello, 1));
	assert_false(is_gzip("hello", 5));
	assert_int_equal(gunzip(hello, sizeof hello, 5, &out, &err), 0);
	assert_string_equal(buf_string(&out), "hello");
}

static void it_never_grows_beyond_the_bound(void **state)
{
	_cleanup_(buf_free) struct buf out = {0};
	struct err err;
	(void)state;

	assert_int_equal(gunzip(hello, sizeof hello, 4, &out, &err), -EFBIG);
	assert_string_equal(err.text, "gzip: expected at most 4 bytes unpacked, found more");
}

static void damage_is_named(void **state)
{
	unsigned char bytes[sizeof hello + 1];
	struct err err;
	(void)state;

	for (size_t len = 2; len < sizeof hello; len++) {
		_cleanup_(buf_free) struct buf out = {0};

		assert_int_equal(gunzip(hello, len, 100, &out, &err), -EINVAL);
		assert_string_equal(err.text, "gzip: cut short");
	}
	for (size_t i = 0; i < sizeof hello; i++) {
		_cleanup_(buf_free) struct buf out = {0};

		memcpy(bytes, hello, sizeof hello);
		bytes[i] ^= 0x10;
		gunzip(bytes, sizeof hello, 100, &out, &err); /* no crash; time stamp and OS fields mean nothing */
	}
	memcpy(bytes, hello, sizeof hello);
	bytes[sizeof hello] = 0;
	{
		_cleanup_(buf_free) struct buf out = {0};

		assert_int_equal(gunzip(bytes, sizeof bytes, 100, &out, &err), -EINVAL);
		assert_string_equal(err.text, "gzip: 1 bytes behind the end");
	}
}

/* No byte behind the header is looked at: it is none. */
static void more_bytes_than_zlib_counts_are_refused(void **state)
{
	_cleanup_(buf_free) struct buf out = {0};
	struct err err;
	(void)state;

	assert_int_equal(gunzip("no gzip at all", INT_MAX, 1, &out, &err), -EINVAL);
	assert_int_equal(gunzip("no gzip at all", (size_t)INT_MAX + 1, 1, &out, &err), -EFBIG);
	assert_string_equal(err.text, "gzip: 2147483648 bytes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_packed_comes_out),
		cmocka_unit_test(it_never_grows_beyond_the_bound),
		cmocka_unit_test(damage_is_named),
		cmocka_unit_test(more_bytes_than_zlib_counts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
