#include "unit/test.h"

#include "ticket.h"

static void both_sides_of_the_bound_are_tried(void **state)
{
	(void)state;
	assert_int_equal(ticket_price(5), 0);
	assert_int_equal(ticket_price(6), 4);
}

static void no_test_could_tell_where_a_useless_bound_is(void **state)
{
	(void)state;
	assert_int_equal(ticket_weekday(7), 0);
	assert_int_equal(ticket_weekday(13), 6);
}

static void a_loop_that_never_ends_is_noticed(void **state)
{
	(void)state;
	assert_int_equal(ticket_digits(7), 1);
	assert_int_equal(ticket_digits(10), 2);
}

/* And ticket_is_for_sunday by no test. */
static void one_function_is_called_and_its_bound_left_out(void **state)
{
	(void)state;
	assert_true(ticket_is_cheap(1));
	assert_false(ticket_is_cheap(9));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_sides_of_the_bound_are_tried),
		cmocka_unit_test(no_test_could_tell_where_a_useless_bound_is),
		cmocka_unit_test(a_loop_that_never_ends_is_noticed),
		cmocka_unit_test(one_function_is_called_and_its_bound_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
