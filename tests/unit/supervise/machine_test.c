/* Single decisions of the supervisor, each on its own: services that do what the test says, a clock that the test
 * moves. */
#include "lib/check_services.h"
#include "lib/service_file.h"
#include "supervise/node.h"
#include "unit/test.h"

static struct machine machine;
static struct service_set set;
static int64_t now;
static char did[8192]; /* what was done, one line each */
static unsigned spawns[SERVICES_MAX];
static int spawn_result;

static void note(const char *format, ...)
{
	size_t used = strlen(did);
	va_list args;

	va_start(args, format);
	vsnprintf(did + used, sizeof did - used, format, args);
	va_end(args);
}

static int64_t test_now(void *ctx)
{
	(void)ctx;
	return now;
}

static int test_spawn(void *ctx, unsigned i)
{
	(void)ctx;
	note("spawn %s\n", set.services[i].name);
	spawns[i]++;
	return spawn_result;
}

static void test_signal_main(void *ctx, unsigned i, int sig)
{
	(void)ctx;
	note("signal %s %d\n", set.services[i].name, sig);
}

static void test_signal_group(void *ctx, unsigned i, int sig)
{
	(void)ctx;
	note("signal all of %s %d\n", set.services[i].name, sig);
}

static void test_kill_group(void *ctx, unsigned i)
{
	(void)ctx;
	note("kill all of %s\n", set.services[i].name);
}

static void test_probe(void *ctx, unsigned i, struct words command)
{
	(void)ctx;
	note("probe %s: %s\n", set.services[i].name, service_word(&set.services[i], command, 0));
}

static void test_probe_kill(void *ctx, unsigned i)
{
	(void)ctx;
	note("kill probe of %s\n", set.services[i].name);
}

static void test_tell(void *ctx, int i, const char *text)
{
	(void)ctx;
	note("%s: %s\n", i < 0 ? "-" : set.services[i].name, text);
}

static const char *test_last_words(void *ctx, unsigned i)
{
	(void)ctx;
	(void)i;
	return "why it failed";
}

static void test_phase(void *ctx, enum phase phase, enum ending ending)
{
	(void)ctx;
	(void)ending;
	note("phase %s\n", phase_name(phase));
}

static uint32_t test_random(void *ctx)
{
	(void)ctx;
	return 0;
}

static const struct effects effects = {test_now,	test_spawn, test_signal_main, test_signal_group,
				       test_kill_group, test_probe, test_probe_kill,  test_tell,
				       test_last_words, test_phase, test_random};

static void add(const char *name, const char *text)
{
	static struct service service;
	struct err err;
	char file[64];

	snprintf(file, sizeof file, "%s.service", name);
	if (service_file_parse(file, text, strlen(text), &service, &err) < 0 ||
	    service_set_add(&set, &service, &err) < 0)
		fail_msg("%s", err.text);
}

static int clear(void **state)
{
	(void)state;
	set.count = 0;
	now = 1000;
	did[0] = 0;
	memset(spawns, 0, sizeof spawns);
	spawn_result = 0;
	return 0;
}

static void boot(void)
{
	struct err err;

	if (check_services(&set, &err) < 0)
		fail_msg("%s", err.text);
	machine_init(&machine, &set, &effects, NULL);
	machine_boot(&machine);
}

/* What was done since the last time. */
static void expect(const char *text)
{
	assert_string_equal(did, text);
	did[0] = 0;
}

static void pass(int64_t ms)
{
	now += ms;
	machine_tick(&machine);
}

static void a_service_that_was_healthy_is_back_at_once_then_slower(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=always\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	expect("spawn web\nweb: ready (0.0 s)\n");
	pass(5000);
	machine_exited(&machine, 0, true, 11, false);
	expect("web: ended by signal 11 after 5 s: why it failed\nspawn web\n");
	machine_event(&machine, 0, EV_EXECUTED);
	pass(1000);
	machine_exited(&machine, 0, false, 1, false);
	expect("web: ready (0.0 s)\nweb: ended: exit status 1 after 1 s: why it failed\n"
	       "web: starts again in 75 ms (failure 2 in a row)\n");
	assert_int_equal(machine_next_deadline(&machine), now + 75);
	pass(75);
	expect("spawn web\n");
}

static void backoff_doubles_up_to_its_bound(void **state)
{
	(void)state;
	assert_int_equal(backoff_delay(0, 0), 0);
	assert_int_equal(backoff_delay(1, 0), 0);
	assert_int_equal(backoff_delay(2, 0), 75);
	assert_int_equal(backoff_delay(2, 50), 125);
	assert_int_equal(backoff_delay(3, 0), 150);
	assert_int_equal(backoff_delay(11, 0), 22500);
	for (unsigned failures = 11; failures < 70000; failures += 977)
		for (uint32_t random = 0; random < 100000; random += 7919)
			assert_in_range(backoff_delay(failures, random), 22500, 37500);
}

static void what_is_left_in_the_cgroup_goes_before_the_next_start(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=always\nTimeoutStopSec=2s\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	did[0] = 0;
	machine_exited(&machine, 0, false, 0, true);
	expect("web: ended: exit status 0 after 0 ms\nsignal all of web 15\nsignal all of web 18\n");
	pass(2000);
	expect("web: still runs 2 s after TERM, killed\nkill all of web\n");
	machine_event(&machine, 0, EV_EMPTY);
	expect("spawn web\n");
}

static void kill_mode_process_starts_beside_what_is_left(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=always\nKillMode=process\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	did[0] = 0;
	machine_exited(&machine, 0, true, 9, true);
	expect("web: ended by signal 9 after 0 ms: why it failed\nspawn web\n");
	machine_event(&machine, 0, EV_EXECUTED);
	did[0] = 0;
	machine_end(&machine, END_REBOOT);
	expect("phase users\nphase before\nphase services\nsignal web 15\nsignal web 18\n");
	machine_exited(&machine, 0, true, 15, true);
	expect("kill all of web\n");
	machine_event(&machine, 0, EV_EMPTY);
	expect("web: stopped (0 ms)\nphase kill\n");
}

static void a_task_in_the_kernel_gets_no_second_instance_and_holds_no_end(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=always\nTimeoutStopSec=1s\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_stop(&machine, 0, true);
	did[0] = 0;
	pass(1000);
	pass(5000);
	expect("web: still runs 1 s after TERM, killed\nkill all of web\n"
	       "web: does not die of KILL: a task of it is stuck in the kernel\nkill all of web\n");
	pass(15000);
	expect("kill all of web\n");
	machine_end(&machine, END_POWEROFF);
	assert_int_equal(machine.phase, PHASE_KILL);
}

static void a_failed_requirement_is_told_and_waited_for(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nType=oneshot\nRemainAfterExit=yes\nRestart=no\n");
	add("user", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_exited(&machine, 0, false, 1, false);
	expect("spawn base\nbase: not ready: exit status 1 after 0 ms: why it failed\n");
	pass(15000);
	expect("user: waiting for base, which is failed (15 s)\n");
	assert_int_equal(machine_start(&machine, 0), 0);
	machine_event(&machine, 0, EV_EXECUTED);
	machine_exited(&machine, 0, false, 0, false);
	expect("spawn base\nbase: done (0.0 s)\nspawn user\n");
}

static void what_only_comes_after_goes_on_once_the_other_has_failed(void **state)
{
	(void)state;
	add("base", "[Service]\nType=notify\nExecStart=/bin/base\nRestart=always\n");
	add("user", "[Unit]\nAfter=base.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	machine_exited(&machine, 0, false, 1, false);
	expect("spawn base\nbase: not ready: exit status 1 after 0 ms: why it failed\nspawn base\nspawn user\n");
}

static void waiting_to_be_ready_is_told_every_15_s(void **state)
{
	(void)state;
	add("web", "[Service]\nType=notify\nExecStart=/bin/web\nTimeoutStartSec=5min\n");
	boot();
	did[0] = 0;
	pass(15000);
	expect("web: waiting to be ready (15 s; gives up after 5 min)\n");
	pass(15000);
	expect("web: waiting to be ready (30 s; gives up after 5 min)\n");
}

static void liveness_needs_several_failures_in_a_row(void **state)
{
	(void)state;
	add("web", "[Service]\nType=notify\nExecStart=/bin/"
		   "web\nRestart=always\n[Keelson]\nLiveness=exec:ask\nLivenessSec=10s\n"
		   "LivenessTimeoutSec=2s\nLivenessFailures=2\n");
	boot();
	machine_event(&machine, 0, EV_READY);
	did[0] = 0;
	pass(10000);
	machine_probe_result(&machine, 0, false);
	pass(10000);
	machine_probe_result(&machine, 0, true);
	pass(10000);
	machine_probe_result(&machine, 0, false);
	expect("probe web: ask\nprobe web: ask\nprobe web: ask\n");
	pass(10000);
	pass(2000);
	expect("probe web: ask\nkill probe of web\nweb: does not answer: 2 probes in a row failed, restarted; its last "
	       "words: "
	       "why it failed\nsignal all of web 15\nsignal all of web 18\n");
}

static void giving_up_is_told_with_what_helps(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=on-failure\n[Keelson]\nGiveUpAfter=1\n");
	boot();
	machine_exited(&machine, 0, false, 127, false);
	expect("spawn web\nweb: not ready: exit status 127 after 0 ms: why it failed\n"
	       "web: given up after 1 failures in a row: keelson start web tries again\n");
	assert_int_equal(machine.units[0].state, ST_FAILED);
}

/* Fail in this way until nothing follows any more, or so often that nothing ever will. */
static unsigned starts_until_given_up(unsigned limit, const char *way)
{
	char text[128];

	clear(NULL);
	spawn_result = strcmp(way, "fork") ? 0 : -EAGAIN;
	snprintf(text, sizeof text, "[Service]\nExecStart=/bin/web\nRestart=always\n[Keelson]\nGiveUpAfter=%u\n",
		 limit);
	add("web", text);
	boot();
	while (machine.units[0].state != ST_FAILED && spawns[0] < 40) {
		did[0] = 0;
		if (machine.units[0].state == ST_BACKOFF)
			pass(machine_next_deadline(&machine) - now);
		if (machine.units[0].state == ST_STARTING && !strcmp(way, "program"))
			machine_event(&machine, 0, EV_EXECUTED);
		if (machine.units[0].main_alive)
			machine_exited(&machine, 0, false, strcmp(way, "exec") ? 1 : 127, false);
	}
	pass(24 * 3600 * 1000);
	return spawns[0];
}

static void it_gives_up_after_exactly_so_many_failures(void **state)
{
	static const char *const ways[] = {"fork", "exec", "program"};

	(void)state;
	for (unsigned k = 0; k < sizeof ways / sizeof ways[0]; k++) {
		assert_int_equal(starts_until_given_up(1, ways[k]), 1);
		assert_int_equal(starts_until_given_up(2, ways[k]), 2);
		assert_int_equal(starts_until_given_up(7, ways[k]), 7);
		assert_in_range(starts_until_given_up(0, ways[k]), 40, 42); /* never */
	}
}

static void who_waits_does_not_start_what_has_given_up(void **state)
{
	(void)state;
	add("base", "[Service]\nType=notify\nExecStart=/bin/base\nRestart=always\n[Keelson]\nGiveUpAfter=2\n");
	add("user", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/user\nRestart=always\n");
	add("next", "[Unit]\nRequires=user.service\n[Service]\nExecStart=/bin/next\nRestart=always\n");
	boot();
	machine_exited(&machine, 0, false, 1, false);
	machine_exited(&machine, 0, false, 1, false);
	for (unsigned k = 0; k < 100; k++) {
		did[0] = 0;
		pass(15000);
	}
	assert_int_equal(machine.units[0].state, ST_FAILED);
	assert_int_equal(spawns[0], 2);
	assert_int_equal(spawns[1] + spawns[2], 0);
	assert_true(machine.units[1].held);
}

static void no_phase_of_the_end_outlasts_its_bound(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_end(&machine, END_HALT);
	machine_exited(&machine, 0, true, 15, false);
	did[0] = 0;
	while (machine.phase < PHASE_END)
		pass(machine_next_deadline(&machine) - now);
	expect("-: kill: not done after 5 s, goes on without\nphase logs\n-: logs: not done after 3 s, goes on "
	       "without\n"
	       "phase unmount\n-: unmount: not done after 15 s, goes on without\nphase read-only\n"
	       "-: read-only: not done after 5 s, goes on without\nphase sync\n-: sync: not done after 10 s, goes on "
	       "without\n"
	       "phase end\n");
	assert_int_equal(machine_end(&machine, END_REBOOT), -EBUSY);
	assert_int_equal(machine_start(&machine, 0), -EBUSY);
	pass(10000);
	expect("phase end\n");
}

static void no_probe_begins_on_the_way_down(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n[Keelson]\nReady=exec:ask\n");
	boot();
	machine_end(&machine, END_REBOOT);
	did[0] = 0;
	machine_event(&machine, 0, EV_EXECUTED);
	machine_tick(&machine);
	expect("");
	assert_true(machine_next_deadline(&machine) > now); /* nothing that is due and not done: the loop would spin */
}

static void a_restart_that_is_under_way_ends_with_the_machine(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_stop(&machine, 0, true);
	machine_end(&machine, END_REBOOT);
	did[0] = 0;
	machine_exited(&machine, 0, true, 15, false);
	expect("web: stopped (0 ms)\nphase before\nphase services\nphase kill\n");
}

static void ready_counts_line_by_line(void **state)
{
	static const struct {
		const char *message;
		bool ready;
	} cases[] = {
		{"READY=1", true},
		{"READY=1\n", true},
		{"STATUS=x\nREADY=1", true},
		{"READY=1\nSTATUS=x", true},
		{"READY=10", false},
		{"READY=0", false},
		{"", false},
		{"\n\n", false},
		{"XREADY=1", false},
		{"STATUS=READY=1", false},
	};

	(void)state;
	for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; k++)
		assert_int_equal(notify_says_ready(cases[k].message, strlen(cases[k].message)), cases[k].ready);
}

static void times_are_told_as_people_say_them(void **state)
{
	static const struct {
		int64_t ms;
		const char *text;
	} cases[] = {{0, "0 ms"},   {99, "99 ms"},   {100, "0.1 s"},	{1300, "1.3 s"},
		     {5000, "5 s"}, {90000, "90 s"}, {120000, "2 min"}, {300000, "5 min"}};
	char text[32];

	(void)state;
	for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		format_ms(text, sizeof text, cases[k].ms);
		assert_string_equal(text, cases[k].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_service_that_was_healthy_is_back_at_once_then_slower, clear),
		cmocka_unit_test_setup(backoff_doubles_up_to_its_bound, clear),
		cmocka_unit_test_setup(what_is_left_in_the_cgroup_goes_before_the_next_start, clear),
		cmocka_unit_test_setup(kill_mode_process_starts_beside_what_is_left, clear),
		cmocka_unit_test_setup(a_task_in_the_kernel_gets_no_second_instance_and_holds_no_end, clear),
		cmocka_unit_test_setup(a_failed_requirement_is_told_and_waited_for, clear),
		cmocka_unit_test_setup(what_only_comes_after_goes_on_once_the_other_has_failed, clear),
		cmocka_unit_test_setup(waiting_to_be_ready_is_told_every_15_s, clear),
		cmocka_unit_test_setup(liveness_needs_several_failures_in_a_row, clear),
		cmocka_unit_test_setup(giving_up_is_told_with_what_helps, clear),
		cmocka_unit_test_setup(it_gives_up_after_exactly_so_many_failures, clear),
		cmocka_unit_test_setup(who_waits_does_not_start_what_has_given_up, clear),
		cmocka_unit_test_setup(no_phase_of_the_end_outlasts_its_bound, clear),
		cmocka_unit_test_setup(no_probe_begins_on_the_way_down, clear),
		cmocka_unit_test_setup(a_restart_that_is_under_way_ends_with_the_machine, clear),
		cmocka_unit_test(ready_counts_line_by_line),
		cmocka_unit_test(times_are_told_as_people_say_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
