/* The watchdog is fed by a clock and by progress; a device that fails changes nothing else. */
#include <fcntl.h>

#include "supervise/node.h"
#include "unit/test.h"

static struct node node;
static int device;

static void take_device(const char *kind)
{
	int ends[2];

	memset(&node, 0, sizeof node);
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	device = ends[0];
	node.watchdog = ends[1];
	node.watchdog_at = 1000;
	node.watchdog_period = 15000;
	if (!strcmp(kind, "broken")) {
		close(ends[1]);
		node.watchdog = open("/dev/full", O_WRONLY | O_CLOEXEC);
	}
}

static void give_device_back(void)
{
	close(node.watchdog);
	close(device);
}

static unsigned fed(void)
{
	char bytes[16];
	ssize_t got = read(device, bytes, sizeof bytes);

	return got > 0 ? (unsigned)got : 0;
}

static void it_is_fed_once_in_a_period(void **state)
{
	(void)state;
	take_device("working");
	watchdog_feed(&node, 1000);
	watchdog_feed(&node, 15999);
	assert_int_equal(fed(), 1);
	watchdog_feed(&node, 16000);
	assert_int_equal(fed(), 1);
	assert_int_equal(node.watchdog_at, 31000);
	give_device_back();
}

static void on_the_way_down_it_is_fed_up_to_the_end_and_no_longer(void **state)
{
	int64_t now = 1000;

	(void)state;
	take_device("working");
	for (unsigned phase = PHASE_USERS; phase < PHASE_END; phase++, now += 15000) {
		node.machine.phase = (uint8_t)phase;
		watchdog_feed(&node, now);
		assert_int_equal(fed(), 1);
	}
	node.machine.phase = PHASE_END;
	for (unsigned k = 0; k < 10; k++, now += 15000)
		watchdog_feed(&node, now);
	assert_int_equal(fed(), 0);
	assert_true(node.watchdog_at > now); /* nothing that is due and not done: the loop would spin */
	give_device_back();
}

static void a_device_that_fails_is_asked_again_a_period_later(void **state)
{
	(void)state;
	take_device("broken");
	watchdog_feed(&node, 1000);
	assert_int_equal(node.watchdog_at, 16000);
	watchdog_feed(&node, 16000);
	assert_int_equal(node.watchdog_at, 31000);
	give_device_back();
}

static void it_is_looked_for_once_more_after_the_last_of_many_rounds(void **state)
{
	(void)state;
	memset(&node, 0, sizeof node);
	node.watchdog = -1;
	node.watchdog_path = "/nonexistent";
	watchdog_seek(&node, 1000);
	assert_false(node.watchdog_due);
	node.watchdog_path = "/dev/null"; /* its driver has come */
	watchdog_seek(&node, 1199);
	assert_int_equal(node.watchdog, -1);
	assert_true(node.watchdog_due); /* the loop comes back for it: */
	assert_int_equal(node.watchdog_at, 1200);
	watchdog_seek(&node, 1200);
	assert_true(node.watchdog >= 0);
	assert_false(node.watchdog_due);
	close(node.watchdog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_fed_once_in_a_period),
		cmocka_unit_test(on_the_way_down_it_is_fed_up_to_the_end_and_no_longer),
		cmocka_unit_test(a_device_that_fails_is_asked_again_a_period_later),
		cmocka_unit_test(it_is_looked_for_once_more_after_the_last_of_many_rounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
