#include "lib/finish_output.h"

#include "unit/test.h"

static void an_answer_that_is_lost_is_a_failure(void **state)
{
	FILE *full = fopen("/dev/full", "w");
	(void)state;

	assert_non_null(full);
	fputs("answer\n", full);
	assert_int_equal(finish_output(full, "test", 0), 1);
	fclose(full);
}

static void an_answer_that_is_written_leaves_the_status(void **state)
{
	FILE *file = tmpfile();
	(void)state;

	assert_non_null(file);
	fputs("answer\n", file);
	assert_int_equal(finish_output(file, "test", 0), 0);
	assert_int_equal(finish_output(file, "test", 2), 2);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_that_is_lost_is_a_failure),
		cmocka_unit_test(an_answer_that_is_written_leaves_the_status),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
