#include "api/service_rows.h"

#include "unit/test.h"

static struct service_rows rows;

static const char answer[] = "now=75000 dropped=12\n"
			     "service name=containerd state=up pid=210 starts=1 failures=0 since=9790 asked=900 "
			     "run=5190 ready=9790 first_ready=9790 "
			     "exit=0 signalled=0 stuck=0 blocker= slice=kube description=container runtime\n"
			     "service name=kubelet state=up pid=412 starts=3 failures=0 since=61000 asked=900 "
			     "run=61000 ready=61000 first_ready=13890 "
			     "exit=9 signalled=1 stuck=0 blocker= slice=kube description=kubelet\n"
			     "service name=node state=starting pid=500 starts=1 failures=0 since=13900 asked=900 "
			     "run=13900 ready=0 first_ready=0 exit=0 "
			     "signalled=0 stuck=0 blocker= slice=system description=node\n"
			     "service name=storage state=done pid=0 starts=1 failures=0 since=5100 asked=900 run=900 "
			     "ready=5100 first_ready=5100 exit=0 "
			     "signalled=0 stuck=0 blocker= slice=system description=state on /var\n"
			     "service name=time state=backoff pid=0 starts=4 failures=4 since=74600 asked=900 "
			     "run=74590 ready=0 first_ready=0 exit=1 "
			     "signalled=0 stuck=0 blocker= slice=system description=time\n"
			     "service name=web state=waiting pid=0 starts=0 failures=0 since=900 asked=900 run=0 "
			     "ready=0 first_ready=0 exit=0 signalled=0 "
			     "stuck=0 blocker=time slice=system description=\n";

static void services_are_a_table_for_people(void **state)
{
	struct buf out = {0};
	(void)state;

	service_rows_parse(answer, &rows);
	assert_int_equal(rows.count, 6);
	assert_int_equal(service_rows_table(&rows, &out), 0);
	assert_golden("api/services.txt", buf_string(&out));
	buf_free(&out);
}

static void a_note_is_of_the_state_it_stands_beside(void **state)
{
	struct buf out = {0};
	(void)state;

	service_rows_parse("now=75000\nservice name=a state=failed failures=2 exit=9 signalled=1 stuck=0 blocker=time\n"
			   "service name=b state=up starts=1 exit=1 signalled=1 stuck=0 blocker=time\n"
			   "service name=c state=stopping starts=2 stuck=1 blocker=time\n"
			   "service name=d state=waiting starts=2 stuck=0 blocker=\n",
			   &rows);
	assert_int_equal(service_rows_table(&rows, &out), 0);
	assert_golden("api/notes.txt", buf_string(&out));
	buf_free(&out);
}

static void services_are_json_for_programs(void **state)
{
	struct buf out = {0};
	(void)state;

	service_rows_parse(answer, &rows);
	assert_int_equal(service_rows_json(&rows, &out), 0);
	assert_golden("api/services.json", buf_string(&out));
	buf_free(&out);
}

static void a_boot_is_a_timeline_in_order_of_starts(void **state)
{
	struct buf out = {0};
	(void)state;

	service_rows_parse(answer, &rows);
	assert_int_equal(boot_table(&rows, &out), 0);
	assert_golden("api/boot.txt", buf_string(&out));
	buf_free(&out);
	assert_int_equal(boot_svg(&rows, &out), 0);
	assert_golden("api/boot.svg", buf_string(&out));
	buf_free(&out);
}

static void a_start_did_not_wait_for_what_was_asked_after_it(void **state)
{
	struct buf out = {0};
	(void)state;

	service_rows_parse("now=90000\nservice name=web state=waiting starts=1 since=80000 asked=80000 run=5000 "
			   "ready=6000 first_ready=6000 blocker=db\n",
			   &rows);
	assert_int_equal(boot_table(&rows, &out), 0);
	assert_string_equal(buf_string(&out), "  WAITED  STARTED    READY  SERVICE\n"
					      "       -     5.00    +1.00  web\n");
	buf_free(&out);
	assert_int_equal(boot_svg(&rows, &out), 0);
	assert_null(strstr(buf_string(&out), "\"-"));
	buf_free(&out);
}

static void lines_and_keys_of_another_version_are_left_out(void **state)
{
	(void)state;
	service_rows_parse("service name=a new=1 state=up\nsomething else\n\nservice\nservice name=b", &rows);
	assert_int_equal(rows.count, 2);
	assert_string_equal(rows.rows[0].state, "up");
	assert_string_equal(rows.rows[1].name, "b");
	service_rows_parse("", &rows);
	assert_int_equal(rows.count, 0);
}

static void a_boot_is_json_for_programs(void **state)
{
	struct buf out = {0};
	(void)state;

	service_rows_parse(answer, &rows);
	assert_int_equal(boot_json(&rows, &out), 0);
	assert_golden("api/boot.json", buf_string(&out));
	buf_free(&out);
}

static void a_span_is_told_in_the_unit_that_fits(void **state)
{
	static const struct {
		const char *now, *shown;
	} spans[] = {{"59999", " 59.9 s "}, {"60000", " 1 min "},    {"3599999", " 59 min "},
		     {"3600000", " 1 h "},  {"172799999", " 47 h "}, {"172800000", " 2 d "}};
	(void)state;

	for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
		struct buf out = {0};
		char text[100];

		snprintf(text, sizeof text, "now=%s dropped=0\nservice name=a state=up starts=1 since=0\n",
			 spans[i].now);
		service_rows_parse(text, &rows);
		assert_int_equal(service_rows_table(&rows, &out), 0);
		assert_non_null(strstr(buf_string(&out), spans[i].shown));
		buf_free(&out);
	}
}

static void as_many_services_are_kept_as_there_may_be(void **state)
{
	struct buf text = {0};
	char last[16];
	(void)state;

	for (unsigned i = 0; i <= SERVICE_ROWS_MAX; i++)
		assert_int_equal(buf_addf(&text, "service name=s%u state=up\n", i), 0);
	service_rows_parse(buf_string(&text), &rows);
	assert_int_equal(rows.count, SERVICE_ROWS_MAX);
	snprintf(last, sizeof last, "s%u", SERVICE_ROWS_MAX - 1);
	assert_string_equal(rows.rows[SERVICE_ROWS_MAX - 1].name, last);
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(services_are_a_table_for_people),
		cmocka_unit_test(a_note_is_of_the_state_it_stands_beside),
		cmocka_unit_test(services_are_json_for_programs),
		cmocka_unit_test(a_boot_is_a_timeline_in_order_of_starts),
		cmocka_unit_test(a_start_did_not_wait_for_what_was_asked_after_it),
		cmocka_unit_test(lines_and_keys_of_another_version_are_left_out),
		cmocka_unit_test(a_boot_is_json_for_programs),
		cmocka_unit_test(a_span_is_told_in_the_unit_that_fits),
		cmocka_unit_test(as_many_services_are_kept_as_there_may_be),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
