#include "lib/process.h"

#include <time.h>

#include "unit/test.h"

static int run(const char *const *argv, struct buf *output, int timeout_ms, struct err *err)
{
	struct process p = {.argv = argv, .output = output, .timeout_ms = timeout_ms};

	return process_run(&p, err);
}

static void output_is_read_and_the_status_returned(void **state)
{
	const char *argv[] = {"sh", "-c", "echo out; echo why >&2; exit 3", NULL};
	struct buf output = {0};
	struct err err;
	(void)state;

	assert_int_equal(run(argv, &output, 10000, &err), 3);
	assert_string_equal(buf_string(&output), "out\n");
	assert_string_equal(err.text, "sh: exit status 3: why");
	buf_free(&output);
}

static void input_larger_than_a_pipe_reaches_the_program(void **state)
{
	const char *argv[] = {"wc", "-c", NULL};
	static char input[300000];
	struct buf output = {0};
	struct process p = {.argv = argv, .output = &output, .input = input, .input_len = sizeof input};
	struct err err;
	(void)state;

	assert_int_equal(process_run(&p, &err), 0);
	assert_string_equal(buf_string(&output), "300000\n");
	buf_free(&output);
}

static void a_program_that_hangs_is_killed_in_time(void **state)
{
	const char *argv[] = {"sleep", "60", NULL};
	struct buf output = {0};
	struct err err;
	(void)state;

	assert_int_equal(run(argv, &output, 100, &err), -ETIMEDOUT);
	assert_string_equal(err.text, "sleep: no end after 100 ms, killed");
}

static void a_program_that_is_not_there_says_so(void **state)
{
	const char *argv[] = {"no-such-program", NULL};
	struct err err;
	(void)state;

	assert_int_equal(run(argv, NULL, 1000, &err), -ENOENT);
	assert_string_equal(err.text, "run no-such-program: No such file or directory");
}

static void output_beyond_its_bound_is_an_error(void **state)
{
	const char *argv[] = {"head", "-c", "100000", "/dev/zero", NULL};
	struct buf output = {.max = 1000};
	struct err err;
	(void)state;

	assert_int_equal(run(argv, &output, 10000, &err), -EFBIG);
	buf_free(&output);
}

static void count(void *arg, int seconds)
{
	assert_int_equal(seconds, 0);
	++*(int *)arg;
}

static void a_program_that_takes_long_is_told_of(void **state)
{
	const char *argv[] = {"sleep", "0.3", NULL};
	struct timespec start, end;
	int ticks = 0, elapsed_ms;
	const struct process sleeper = {.argv = argv, .quiet = true, .tick_ms = 50, .tick = count, .tick_arg = &ticks};
	struct err err;
	(void)state;

	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(process_run(&sleeper, &err), 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	/* A busy machine makes the program last longer: no more often than its pause, whatever it took. */
	elapsed_ms = (int)((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000);
	assert_in_range(ticks, 1, elapsed_ms / 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_read_and_the_status_returned),
		cmocka_unit_test(input_larger_than_a_pipe_reaches_the_program),
		cmocka_unit_test(a_program_that_hangs_is_killed_in_time),
		cmocka_unit_test(a_program_that_is_not_there_says_so),
		cmocka_unit_test(output_beyond_its_bound_is_an_error),
		cmocka_unit_test(a_program_that_takes_long_is_told_of),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
