#include "lib/nearest.h"

#include "unit/test.h"

static const char longest[] = "a-name-as-long-as-any-that-is-compared-with-the-others-63-chars";

static const char *known(size_t i, const void *data)
{
	static const char *const names[] = {"After", "Requires", "Restart", "RestartSec",
					    "one-a", "one-b",	 longest,   NULL};
	(void)data;

	return names[i];
}

static void the_nearest_is_named_and_none_where_all_are_far(void **state)
{
	static const char *const cases[][2] = {
		{"after", "After"},
		{"Requres", "Requires"},
		{"Restrat", "Restart"},
		{"RestartSecs", "RestartSec"},
		{"restartsec", "RestartSec"},
		{"A", NULL},
		{"Zebra", NULL},
		{"", NULL},
		{"Aftttr", "After"},
		{"one-c", "one-a"}, /* of two as near, the first */
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *found = nearest_name(cases[i][0], known, NULL);

		assert_string_equal(found ? found : "none", cases[i][1] ? cases[i][1] : "none");
	}
}

static void names_are_compared_up_to_a_bound(void **state)
{
	char text[sizeof longest + 1];
	(void)state;

	assert_string_equal(nearest_name(longest, known, NULL), longest);
	snprintf(text, sizeof text, "%sx", longest);
	assert_null(nearest_name(text, known, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_is_named_and_none_where_all_are_far),
		cmocka_unit_test(names_are_compared_up_to_a_bound),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
