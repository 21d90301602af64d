#include <getopt.h>

#include <string.h>

#include "api/last_lines.h"
#include "keelson.h"
#include "unit/test.h"

static int run(const char *first, const char *second, const char *third)
{
	char *argv[] = {(char *)"logs", (char *)(uintptr_t)first, (char *)(uintptr_t)second, (char *)(uintptr_t)third,
			NULL};
	int argc = 1;

	while (argv[argc])
		argc++;
	optind = 0; /* as if it were the first call */
	return logs_main(argc, argv);
}

static void a_number_of_lines_is_a_number(void **state)
{
	static const char *const wrong[] = {"x", "", "-1", "5x", "99999999999999999999", " 5"};
	(void)state;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (run("-n", wrong[i], NULL) != 2)
			fail_msg("-n \"%s\": expected the usage", wrong[i]);
	assert_int_equal(run("a", "b", NULL), 2);
	assert_int_equal(run("../../etc/passwd", NULL, NULL), 2);
}

static void a_service_without_a_log_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(run("-n", "5", "no-such-service"), 1);
}

static void the_last_lines_are_whole_and_as_many_as_asked_for(void **state)
{
	static const struct {
		const char *text;
		bool cut;
		long lines;
		const char *last;
	} rows[] = {
		{"a\nb\nc\n", false, 2, "b\nc\n"},
		{"a\nb\nc\n", false, 9, "a\nb\nc\n"},
		{"a\nb", false, 1, "b"},
		{"a\nb\n", false, 0, ""},
		{"", false, 0, ""},
		{"", true, 5, ""},
		{"\n\n", false, 1, "\n"},
		{"half\nb\nc\n", true, 9, "b\nc\n"},
		{"half", true, 9, "half"},
		{"half\nb\nc\n", true, 2, "b\nc\n"},
		{"half\nb\nc\n", true, 1, "c\n"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(last_lines(rows[i].text, strlen(rows[i].text), rows[i].cut, rows[i].lines),
				    rows[i].last);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_of_lines_is_a_number),
		cmocka_unit_test(a_service_without_a_log_is_an_error),
		cmocka_unit_test(the_last_lines_are_whole_and_as_many_as_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
