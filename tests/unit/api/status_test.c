/* The node's state in a few lines. */
#include "api/status.h"

#include "unit/test.h"

static struct node_status status = {
	.hostname = "cp-1",
	.role = "single",
	.cluster = "demo",
	.version = "0.1.0",
	.kubernetes = "v1.20.2",
	.slot = 'A',
	.addresses = "10.0.2.15 fd00::15",
	.pressure = {0, -1, 0},
};

static const char well[] = "now=75000 dropped=0\n"
			   "service name=containerd state=up pid=210 starts=1 failures=0 stuck=0\n"
			   "service name=storage state=done pid=0 starts=1 failures=0 stuck=0\n"
			   "service name=gpu state=skipped pid=0 starts=1 failures=0 stuck=0\n";

static const char ill[] = "now=75000 dropped=0\n"
			  "service name=containerd state=up pid=210 starts=1 failures=0 stuck=0\n"
			  "service name=kubelet state=backoff pid=0 starts=4 failures=3 exit=9 signalled=1 stuck=0\n"
			  "service name=time state=failed pid=0 starts=1 failures=1 exit=2 signalled=0 stuck=0\n"
			  "service name=web state=killing pid=7 starts=1 failures=0 stuck=1\n"
			  "service name=node state=waiting pid=0 starts=0 failures=0 stuck=0 blocker=kubelet\n";

static void a_well_node_is_three_lines(void **state)
{
	struct buf out = {0};

	(void)state;
	service_rows_parse(ill, &status.services); /* more of them, which are not there any more */
	service_rows_parse(well, &status.services);
	assert_int_equal(status_text(&status, &out), 0);
	assert_string_equal(buf_string(&out), "cp-1: single of cluster demo; Keelson 0.1.0 slot A, Kubernetes v1.20.2\n"
					      "addresses: 10.0.2.15 fd00::15\n"
					      "services: 2 well, 0 on their way, 0 in trouble\n");
	buf_free(&out);
}

static void each_service_in_trouble_is_named_with_what_to_do(void **state)
{
	struct node_status bare = {.version = "0.1.0", .kubernetes = "v1.20.2", .slot = '?', .pressure = {3, 4, 0}};
	struct buf out = {0};

	(void)state;
	service_rows_parse(ill, &bare.services);
	assert_int_equal(status_text(&bare, &out), 0);
	assert_string_equal(buf_string(&out),
			    "no name: not configured; Keelson 0.1.0 slot ?, Kubernetes v1.20.2\n"
			    "addresses: none\n"
			    "services: 1 well, 1 on their way, 3 in trouble\n"
			    "kubelet: backoff, failed 3 times, last with signal 9: keelson logs kubelet\n"
			    "time: failed, failed 1 time, last with status 2: keelson logs time\n"
			    "web: cannot be ended: keelson logs web\n"
			    "/var: less than 15 % free, pods that fill it are evicted\n"
			    "pods: 3 programs ended by the kernel for lack of memory\n");
	buf_free(&out);
}

static void the_slot_is_that_of_the_root_s_partition(void **state)
{
	(void)state;
	assert_int_equal(slot_of("ROOT_DISK=/dev/vda\nROOT_NUMBER=3\nROOT_HASH=00\n"), 'A');
	assert_int_equal(slot_of("ROOT_NUMBER=5\n"), 'B');
	assert_int_equal(slot_of("ROOT_NUMBER=7\n"), '?');
	assert_int_equal(slot_of(""), '?');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_well_node_is_three_lines),
		cmocka_unit_test(each_service_in_trouble_is_named_with_what_to_do),
		cmocka_unit_test(the_slot_is_that_of_the_root_s_partition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
