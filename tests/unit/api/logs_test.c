#include <getopt.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_number_of_lines_is_a_number),
		cmocka_unit_test(a_service_without_a_log_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
