#include "lib/base64.h"

#include "lib/cleanup.h"
#include "unit/test.h"

static void the_vectors_of_the_standard_go_both_ways(void **state)
{
	static const char *const vectors[][2] = {
		{"", ""},
		{"f", "Zg=="},
		{"fo", "Zm8="},
		{"foo", "Zm9v"},
		{"foob", "Zm9vYg=="},
		{"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
		_cleanup_(buf_free) struct buf text = {0}, data = {0};

		assert_int_equal(base64_encode(vectors[i][0], strlen(vectors[i][0]), &text), 0);
		assert_string_equal(buf_string(&text), vectors[i][1]);
		assert_int_equal(base64_decode(text.data, text.len, &data), 0);
		assert_string_equal(buf_string(&data), vectors[i][0]);
	}
}

static void lines_and_missing_padding_are_accepted(void **state)
{
	_cleanup_(buf_free) struct buf data = {0};
	(void)state;

	assert_int_equal(base64_decode("Zm9v\r\n  YmE", 11, &data), 0);
	assert_string_equal(buf_string(&data), "fooba");
}

static void anything_else_is_refused(void **state)
{
	static const char *const bad[] = {"Z", "Zg=", "Zg===", "Zh==", "Zm9v=", "Z-9v", "Zg==Zg==", "Zm\001v", "===="};
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		_cleanup_(buf_free) struct buf data = {0};

		if (base64_decode(bad[i], strlen(bad[i]), &data) != -EINVAL)
			fail_msg("expected \"%s\" to be refused", bad[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_vectors_of_the_standard_go_both_ways),
		cmocka_unit_test(lines_and_missing_padding_are_accepted),
		cmocka_unit_test(anything_else_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
