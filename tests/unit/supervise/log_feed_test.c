/* A child that was just forked goes before the log writer: for a while, and while the ring has room. */
#include <sys/socket.h>
#include <unistd.h>

#include "supervise/node.h"
#include "unit/test.h"

static struct node node;
static int writer;

static void take_writer(void)
{
	int ends[2];

	memset(&node, 0, sizeof node);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
	node.writer_pipe = ends[0];
	node.writer.pid = 1; /* it runs */
	writer = ends[1];
}

static void give_writer_back(void)
{
	close(node.writer_pipe);
	close(writer);
}

static void put_line(void)
{
	static const char line[LOG_LINE_MAX];

	assert_true(ring_put(&node.ring, 0, LOG_OUT, 0, line, sizeof line));
}

/* Whether the writer was given anything since the last time. */
static bool was_fed(void)
{
	char record[LOG_LINE_MAX + sizeof(struct log_record)];
	bool fed = false;

	while (recv(writer, record, sizeof record, 0) > 0)
		fed = true;
	return fed;
}

static void lines_wait_for_a_moment(void **state)
{
	int64_t deadline;

	(void)state;
	take_writer();
	log_after_child(&node);
	put_line();
	log_pump(&node);
	assert_false(was_fed());
	deadline = log_deadline(&node);
	assert_in_range(deadline, now_ms_boot() - 1000, now_ms_boot() + 1000); /* the loop comes back by itself */
	log_after_child(&node);
	assert_int_equal(log_deadline(&node), deadline); /* one child after the other does not hold them for ever */
	node.pump_at = now_ms_boot();			 /* as time passes */
	log_pump(&node);
	assert_true(was_fed());
	assert_int_equal(node.pump_at, 0);
	assert_int_equal(log_deadline(&node), 0);
	give_writer_back();
}

static void a_flood_does_not_wait(void **state)
{
	unsigned lines = 0;

	(void)state;
	take_writer();
	log_after_child(&node);
	do {
		put_line();
		lines++;
		log_pump(&node);
	} while (!was_fed());
	assert_in_range(lines, 8, RING_BYTES / 2 / LOG_LINE_MAX);
	give_writer_back();
}

/* Its start waits for its place alone, and for the pause after it ended: nothing would come back to it. */
static void a_writer_that_does_not_run_is_not_held(void **state)
{
	(void)state;
	take_writer();
	node.writer.pid = 0;
	node.writer_retry_at = now_ms_boot() + 100000;
	log_after_child(&node);
	put_line();
	assert_int_equal(log_deadline(&node), node.writer_retry_at);
	give_writer_back();
}

static void the_last_lines_do_not_wait(void **state)
{
	(void)state;
	take_writer();
	node.epoll = node.writer_end = -1;
	log_after_child(&node);
	put_line();
	log_close(&node);
	assert_true(was_fed());
	close(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_wait_for_a_moment),
		cmocka_unit_test(a_flood_does_not_wait),
		cmocka_unit_test(a_writer_that_does_not_run_is_not_held),
		cmocka_unit_test(the_last_lines_do_not_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
