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

static const char *doing = "";

static const char *test_status(void *ctx, unsigned i)
{
	(void)ctx;
	(void)i;
	return doing;
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

static const struct effects effects = {test_now,	test_spawn,  test_signal_main, test_signal_group,
				       test_kill_group, test_probe,  test_probe_kill,  test_tell,
				       test_last_words, test_status, test_phase,       test_random};

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
	doing = "the API server at 10.0.0.1:6443";
	pass(15000);
	expect("web: waiting to be ready (45 s; gives up after 5 min): the API server at 10.0.0.1:6443\n");
	pass(255000);
	doing = "";
	assert_non_null(strstr(did, "web: not ready after 5 min, stopped: the API server at 10.0.0.1:6443\n"));
}

static void a_service_that_may_take_for_ever_has_no_bound_to_tell(void **state)
{
	(void)state;
	add("web", "[Service]\nType=notify\nExecStart=/bin/web\nTimeoutStartSec=infinity\nTimeoutStopSec=60s\n");
	boot();
	did[0] = 0;
	pass(15000);
	expect("web: waiting to be ready (15 s)\n");
	machine_event(&machine, 0, EV_READY);
	machine_stop(&machine, 0, false);
	did[0] = 0;
	pass(15000);
	expect("web: waiting for its end (15 s; killed after 60 s)\n");
}

static void readiness_is_asked_at_once_and_then_ever_less_often(void **state)
{
	static const int64_t pauses[] = {200, 400, 800, 1600, 2000, 2000};
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n[Keelson]\nReady=exec:ask\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_tick(&machine);
	expect("spawn web\nprobe web: ask\n");
	for (size_t k = 0; k < sizeof pauses / sizeof *pauses; k++) {
		machine_probe_result(&machine, 0, false);
		pass(pauses[k] - 1);
		expect("");
		pass(1);
		expect("probe web: ask\n");
	}
	machine_probe_result(&machine, 0, true);
	assert_int_equal(machine.units[0].state, ST_UP);
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
	assert_int_equal(machine_next_deadline(&machine), now + 10000);
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

static void only_a_service_that_is_up_has_something_to_do_before_the_end(void **state)
{
	(void)state;
	add("down",
	    "[Service]\nType=oneshot\nExecStart=/bin/down\nRestart=no\n[Keelson]\nBeforeShutdown=exec:end-down\n");
	add("up", "[Service]\nExecStart=/bin/up\n[Keelson]\nBeforeShutdown=exec:end-up\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_exited(&machine, 0, false, 1, false);
	machine_event(&machine, 1, EV_EXECUTED);
	did[0] = 0;
	machine_end(&machine, END_POWEROFF);
	expect("phase users\nprobe up: end-up\nphase before\n");
	machine_probe_result(&machine, 1, true);
	expect("phase services\nsignal all of up 15\nsignal all of up 18\n");
}

static void whoever_requires_it_stops_first_and_comes_back_with_it(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\n");
	add("user", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_event(&machine, 1, EV_EXECUTED);
	did[0] = 0;
	assert_int_equal(machine_stop(&machine, 0, true), 0);
	expect("signal all of user 15\nsignal all of user 18\n");
	machine_exited(&machine, 1, true, 15, false);
	expect("user: stopped (0 ms)\nsignal all of base 15\nsignal all of base 18\n");
	machine_exited(&machine, 0, true, 15, false);
	expect("base: stopped (0 ms)\nspawn base\n");
	machine_event(&machine, 0, EV_EXECUTED);
	expect("base: ready (0.0 s)\nspawn user\n");
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

static void what_a_service_says_it_does_is_kept_until_it_says_something_else(void **state)
{
	static const struct {
		const char *message, *status;
	} cases[] = {
		{"STATUS=one", "one"},
		{"READY=1", "one"},
		{"READY=1\nSTATUS=two", "two"},
		{"STATUS=three\nX=y", "three"},
		{"XSTATUS=four", "three"},
		{"STATUS=0123456789", "01234567"},
		{"STATUS", "01234567"},
		{"\n\nSTATUS=five\n", "five"},
		{"STATUS=\n", ""},
	};
	char status[9] = "";

	(void)state;
	for (unsigned k = 0; k < sizeof cases / sizeof cases[0]; k++) {
		notify_take_status(cases[k].message, strlen(cases[k].message), status, sizeof status);
		assert_string_equal(status, cases[k].status);
	}
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

static void what_is_on_its_way_is_not_started_twice(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nType=notify\n");
	add("once", "[Service]\nExecStart=/bin/once\nType=oneshot\nRemainAfterExit=yes\nRestart=no\n");
	add("user", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/user\n");
	add("word", "[Service]\nExecStart=/bin/word\nType=oneshot\nRestart=no\n");
	boot();
	expect("spawn base\nspawn once\nspawn word\n");
	assert_int_equal(machine_start(&machine, 0), -EALREADY);
	assert_int_equal(machine_start(&machine, 2), -EALREADY); /* it waits */
	machine_event(&machine, 0, EV_READY);
	assert_int_equal(machine_start(&machine, 0), -EALREADY);
	machine_exited(&machine, 1, false, 0, false);
	machine_exited(&machine, 3, false, 0, false);
	did[0] = 0;
	assert_int_equal(machine_start(&machine, 1), -EALREADY); /* done, and that is what it is for */
	assert_int_equal(machine_start(&machine, 3), 0);
	expect("spawn word\n");
}

static void only_what_is_not_there_cannot_be_stopped(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	assert_int_equal(machine_stop(&machine, 0, false), 0);
	machine_exited(&machine, 0, true, 15, false);
	assert_int_equal(machine_stop(&machine, 0, false), -EALREADY);
	did[0] = 0;
	assert_int_equal(machine_stop(&machine, 0, true), 0); /* to restart it is to start it */
	expect("spawn web\n");
	machine_end(&machine, END_REBOOT);
	assert_int_equal(machine_stop(&machine, 0, false), -EBUSY);
	assert_int_equal(machine_start(&machine, 0), -EBUSY);
}

static void a_start_while_it_stops_counts_once_it_has_stopped(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_stop(&machine, 0, false);
	assert_int_equal(machine_start(&machine, 0), 0);
	did[0] = 0;
	machine_exited(&machine, 0, true, 15, false);
	expect("web: stopped (0 ms)\nspawn web\n");
	machine_event(&machine, 0, EV_EXECUTED);
	machine_stop(&machine, 0, true);
	machine_stop(&machine, 0, false); /* and the last word counts */
	did[0] = 0;
	machine_exited(&machine, 0, true, 15, false);
	expect("web: stopped (0 ms)\n");
}

static void what_it_requires_or_wants_comes_along(void **state)
{
	(void)state;
	add("afar", "[Service]\nExecStart=/bin/afar\n");
	add("base", "[Unit]\nRequires=afar.service\n[Service]\nExecStart=/bin/base\n");
	add("friend", "[Service]\nExecStart=/bin/friend\n");
	add("other", "[Service]\nExecStart=/bin/other\n");
	add("user", "[Unit]\nRequires=base.service\nWants=friend.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	for (unsigned i = 0; i < 5; i++) {
		machine_event(&machine, i, EV_EXECUTED);
		machine_stop(&machine, i, false);
		machine_exited(&machine, i, true, 15, false);
	}
	for (unsigned i = 0; i < 5; i++)
		if (machine.units[i].state != ST_OFF)
			machine_exited(&machine, i, true, 15, false);
	did[0] = 0;
	machine_start(&machine, 4);
	expect("spawn afar\nspawn friend\n");
	machine_event(&machine, 0, EV_EXECUTED);
	machine_event(&machine, 1, EV_EXECUTED);
	expect("afar: ready (0.0 s)\nspawn base\nbase: ready (0.0 s)\nspawn user\n");
	assert_int_equal(machine.units[3].state, ST_OFF);
}

static void a_start_does_not_hurry_what_it_requires(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nType=notify\nRestart=always\n");
	add("user", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	machine_exited(&machine, 0, false, 1, false);
	machine_exited(&machine, 0, false, 1, false);
	assert_int_equal(machine.units[0].state, ST_BACKOFF);
	machine_stop(&machine, 1, false);
	did[0] = 0;
	machine_start(&machine, 1);
	expect("");
	assert_int_equal(machine.units[0].state, ST_BACKOFF);
	machine_start(&machine, 0); /* asked for itself: at once, and its failures are forgotten */
	expect("spawn base\n");
	assert_int_equal(machine.units[0].failures, 0);
}

static void what_waits_for_a_lost_cause_holds_up_nobody_else(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nType=oneshot\nRemainAfterExit=yes\nRestart=no\n");
	add("held", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/held\n");
	add("late", "[Unit]\nAfter=held.service\n[Service]\nExecStart=/bin/late\n");
	add("user", "[Unit]\nRequires=held.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	expect("spawn base\n");
	machine_exited(&machine, 0, false, 1, false);
	expect("base: not ready: exit status 1 after 0 ms: why it failed\nspawn late\n");
	assert_int_equal(machine.units[1].state, ST_WAITING);
	assert_true(machine.units[1].held);
	assert_true(machine.units[3].held);
	machine_start(&machine, 0);
	machine_exited(&machine, 0, false, 0, false);
	expect("spawn base\nbase: done (0.0 s)\nspawn held\n");
	assert_false(machine.units[1].held);
}

static void what_was_stopped_by_hand_holds_up_what_requires_it_only(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nType=notify\n");
	add("late", "[Unit]\nAfter=base.service\n[Service]\nExecStart=/bin/late\n");
	add("skip", "[Unit]\nAfter=base.service\nConditionPathExists=/x\n[Service]\nExecStart=/bin/skip\n");
	add("user", "[Unit]\nRequires=skip.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	expect("spawn base\n");
	machine_stop(&machine, 0, false);
	machine_exited(&machine, 0, true, 15, false);
	expect("signal all of base 15\nsignal all of base 18\nspawn late\nspawn skip\nbase: stopped (0 ms)\n");
	machine_event(&machine, 2, EV_SKIP);
	machine_exited(&machine, 2, false, 0, false);
	expect("skip: skipped: its condition is not met\nspawn user\n"); /* and what is skipped nobody */
}

static void readiness_comes_from_where_the_service_says(void **state)
{
	(void)state;
	add("descriptor", "[Service]\nExecStart=/bin/a\n[Keelson]\nReady=fd:3\n");
	add("message", "[Service]\nExecStart=/bin/b\nType=notify\n");
	add("once", "[Service]\nExecStart=/bin/c\nType=oneshot\nRestart=no\n");
	add("simple", "[Service]\nExecStart=/bin/d\n");
	boot();
	did[0] = 0;
	for (unsigned i = 0; i < 4; i++)
		machine_event(&machine, i, EV_EXECUTED);
	expect("simple: ready (0.0 s)\n");
	pass(1250);
	for (unsigned i = 0; i < 4; i++)
		machine_event(&machine, i, EV_READY);
	expect("descriptor: ready (1.2 s)\nmessage: ready (1.2 s)\n");
	machine_exited(&machine, 2, false, 0, false);
	expect("once: done (1.2 s)\n");
	assert_true(machine.units[2].first_ready_at == now && machine.units[0].first_ready_at == now);
}

static void an_end_with_success_is_no_failure(void **state)
{
	(void)state;
	add("always", "[Service]\nExecStart=/bin/a\nRestart=always\n");
	add("failing", "[Service]\nExecStart=/bin/b\nRestart=on-failure\n");
	add("never", "[Service]\nExecStart=/bin/c\nRestart=no\n");
	boot();
	for (unsigned i = 0; i < 3; i++)
		machine_event(&machine, i, EV_EXECUTED);
	did[0] = 0;
	for (unsigned i = 0; i < 3; i++)
		machine_exited(&machine, i, false, 0, false);
	expect("always: ended: exit status 0 after 0 ms\nspawn always\n"
	       "failing: ended: exit status 0 after 0 ms\nnever: ended: exit status 0 after 0 ms\n");
	assert_int_equal(machine.units[1].state, ST_DONE);
	assert_int_equal(machine.units[2].state, ST_DONE);
	machine_start(&machine, 2);
	machine_event(&machine, 2, EV_EXECUTED);
	machine_exited(&machine, 2, true, 9, false);
	assert_int_equal(machine.units[2].state, ST_FAILED);
}

static void a_run_that_lasted_long_enough_forgets_failures(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=always\n[Keelson]\nHealthySec=3s\n");
	boot();
	for (unsigned ms = 2999; ms <= 3000; ms++) {
		for (unsigned k = 0; k < 2; k++) {
			machine_event(&machine, 0, EV_EXECUTED);
			machine_exited(&machine, 0, true, 11, false);
			pass(40000);
		}
		machine_event(&machine, 0, EV_EXECUTED);
		pass(ms);
		machine_exited(&machine, 0, true, 11, false);
		assert_int_equal(machine.units[0].failures, ms < 3000 ? 3 : 1);
		pass(40000);
		machine.units[0].failures = 0;
	}
}

static void a_start_that_takes_too_long_is_a_failure(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nType=notify\nTimeoutStartSec=20s\nRestart=always\n");
	boot();
	pass(19999);
	did[0] = 0;
	pass(1);
	expect("web: not ready after 20 s, stopped\nsignal all of web 15\nsignal all of web 18\n");
	machine_exited(&machine, 0, true, 15, false);
	expect("spawn web\n");
	assert_int_equal(machine.units[0].failures, 1);
}

static void who_may_take_for_ever_to_stop_gets_10_s_on_the_way_down(void **state)
{
	(void)state;
	add("api", "[Service]\nExecStart=/bin/api\nTimeoutStopSec=infinity\n");
	add("db", "[Service]\nExecStart=/bin/db\nTimeoutStopSec=2s\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_event(&machine, 1, EV_EXECUTED);
	machine_stop(&machine, 0, false);
	assert_int_equal(machine.units[0].deadline, 0);
	machine_start(&machine, 0);
	machine_exited(&machine, 0, true, 15, false);
	machine_event(&machine, 0, EV_EXECUTED);
	machine_end(&machine, END_POWEROFF);
	assert_int_equal(machine.units[0].deadline, now + 10000);
	assert_int_equal(machine.units[1].deadline, now + 2000);
	assert_int_equal(machine.phase_deadline, now + 6000 + (6000 + 10000) + (6000 + 2000));
}

static void what_the_main_process_left_is_asked_once_more(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_stop(&machine, 0, false);
	did[0] = 0;
	machine_exited(&machine, 0, true, 15, true);
	expect("signal all of web 15\n");
	machine_event(&machine, 0, EV_EMPTY);
	expect("web: stopped (0 ms)\n");
}

static void kill_mode_process_kills_no_more_than_the_main_process(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nKillMode=process\nTimeoutStopSec=2s\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_stop(&machine, 0, false);
	did[0] = 0;
	pass(2000);
	expect("web: still runs 2 s after TERM, killed\nsignal web 9\n");
	pass(5000);
	expect("web: does not die of KILL: a task of it is stuck in the kernel\nsignal web 9\n");
	machine_exited(&machine, 0, true, 9, true); /* children live on */
	expect("web: stopped (5 s)\n");
	assert_false(machine.units[0].stuck);
}

static void what_remains_of_a_finished_service_goes_when_it_is_stopped(void **state)
{
	(void)state;
	add("first", "[Service]\nExecStart=/bin/first\nType=oneshot\nRemainAfterExit=yes\nRestart=no\n");
	add("kept",
	    "[Service]\nExecStart=/bin/kept\nType=oneshot\nRemainAfterExit=yes\nRestart=no\nKillMode=process\n");
	add("none", "[Service]\nExecStart=/bin/none\nType=oneshot\nRemainAfterExit=yes\nRestart=no\n");
	boot();
	for (unsigned i = 0; i < 3; i++)
		machine_exited(&machine, i, false, 0, i < 2);
	did[0] = 0;
	for (unsigned i = 0; i < 3; i++)
		machine_stop(&machine, i, false);
	expect("signal all of first 15\nsignal all of first 18\n");
	assert_int_equal(machine.units[1].state, ST_OFF);
	assert_int_equal(machine.units[2].state, ST_OFF);
	machine_event(&machine, 0, EV_EMPTY);
	expect("first: stopped (0 ms)\n");
}

static void the_program_that_ended_a_stop_that_was_asked_for_does_not_come_back(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nRestart=always\n");
	add("user", "[Unit]\nAfter=base.service\n[Service]\nExecStart=/bin/user\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_event(&machine, 1, EV_EXECUTED);
	machine_stop(&machine, 1, false);
	machine_stop(&machine, 0, false); /* its turn comes after the user's */
	did[0] = 0;
	machine_exited(&machine, 0, false, 1, false);
	expect("base: ended: exit status 1 after 0 ms: why it failed\nbase: stopped (0 ms)\n");
	machine_exited(&machine, 1, true, 15, false);
	expect("user: stopped (0 ms)\n");
}

static void an_event_that_cannot_happen_is_told(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n");
	boot();
	did[0] = 0;
	machine_event(&machine, 0, EV_UNHEALTHY);
	expect("web: cannot happen: unhealthy while starting\n");
	machine_event(&machine, 1, EV_UNHEALTHY); /* of no service */
	expect("");
	assert_string_equal(event_name(EVENTS), "?");
	assert_string_equal(state_name(STATES), "?");
	assert_string_equal(phase_name(PHASES), "run");
	assert_string_equal(phase_name(PHASE_RUN), "run");
	assert_string_equal(phase_name(PHASE_USERS), "users");
	assert_string_equal(phase_name(PHASE_END), "end");
}

static void nobody_is_told_to_wait_for_one_that_waits_itself(void **state)
{
	(void)state;
	add("base", "[Service]\nExecStart=/bin/base\nType=notify\nTimeoutStartSec=infinity\n");
	add("user", "[Unit]\nRequires=base.service\n[Service]\nExecStart=/bin/user\n");
	add("last", "[Unit]\nRequires=user.service\n[Service]\nExecStart=/bin/last\n");
	boot();
	did[0] = 0;
	pass(15000);
	expect("base: waiting to be ready (15 s)\n");
	machine_heard(&machine, 0); /* it tells of itself */
	pass(19999);
	expect("");
	pass(1);
	expect("base: waiting to be ready (35 s)\n");
	machine_event(&machine, 0, EV_READY);
	machine_event(&machine, 2, EV_EXECUTED);
	machine_event(&machine, 1, EV_EXECUTED);
	did[0] = 0;
	machine_heard(&machine, 0);
	pass(60000);
	expect("");
}

static void the_next_deadline_is_the_earliest(void **state)
{
	(void)state;
	add("long", "[Service]\nExecStart=/bin/a\nType=notify\nTimeoutStartSec=20s\n");
	add("short", "[Service]\nExecStart=/bin/b\nType=notify\nTimeoutStartSec=9s\n");
	machine_init(&machine, &set, &effects, NULL);
	assert_int_equal(machine_next_deadline(&machine), 0);
	boot();
	assert_int_equal(machine_next_deadline(&machine), now + 9000);
	machine_event(&machine, 1, EV_READY);
	assert_int_equal(machine_next_deadline(&machine), now + 15000); /* the other's reminder */
	pass(15000);
	assert_int_equal(machine_next_deadline(&machine), now + 5000);
}

static void an_answer_that_came_too_late_is_not_heard(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/"
		   "web\nRestart=always\n[Keelson]\nReady=exec:ask\nLiveness=exec:ask\nLivenessTimeoutSec=2s\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_tick(&machine);
	pass(1999);
	expect("spawn web\nprobe web: ask\n");
	pass(1);
	expect("kill probe of web\n");
	pass(200);
	expect(""); /* not asked again beside the one that has not ended */
	machine_probe_result(&machine, 0, true);
	assert_int_equal(machine.units[0].state, ST_STARTING);
	pass(200);
	expect("probe web: ask\n");
	machine_exited(&machine, 0, false, 1, false);
	expect("kill probe of web\nweb: not ready: exit status 1 after 2.4 s: why it failed\nspawn web\n");
	machine_probe_result(&machine, 0, true);
	assert_int_equal(machine.units[0].state, ST_STARTING);
}

static void an_answer_ends_a_row_of_failures(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\nRestart=always\n"
		   "[Keelson]\nLiveness=exec:ask\nLivenessSec=10s\nLivenessFailures=2\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	pass(10000);
	machine_probe_result(&machine, 0, false);
	pass(10000);
	machine_probe_result(&machine, 0, true);
	pass(9999);
	did[0] = 0;
	pass(1);
	expect("probe web: ask\n");
	machine_probe_result(&machine, 0, false);
	assert_int_equal(machine.units[0].state, ST_UP);
	pass(10000);
	machine_probe_result(&machine, 0, false);
	expect("probe web: ask\nweb: does not answer: 2 probes in a row failed, restarted; its last words: why it "
	       "failed\nsignal all of web 15\nsignal all of web 18\n");
	machine_probe_result(&machine, 0, false); /* of one that is being stopped */
	expect("");
}

static void users_of_what_must_be_ended_first_go_before_all_others(void **state)
{
	(void)state;
	add("runtime",
	    "[Service]\nExecStart=/bin/runtime\n[Keelson]\nBeforeShutdown=exec:end-pods\nBeforeShutdownSec=7s\n");
	add("other", "[Service]\nExecStart=/bin/other\n");
	add("kubelet", "[Unit]\nAfter=runtime.service\n[Service]\nExecStart=/bin/kubelet\n");
	add("above", "[Unit]\nAfter=kubelet.service\n[Service]\nExecStart=/bin/above\n");
	add("off", "[Unit]\nAfter=runtime.service\n[Service]\nExecStart=/bin/off\n");
	boot();
	for (unsigned i = 0; i < 5; i++)
		for (unsigned k = 0; k < 5; k++)
			if (machine.units[k].state == ST_STARTING)
				machine_event(&machine, k, EV_EXECUTED);
	machine_stop(&machine, 2, false);
	machine_exited(&machine, 2, true, 15, false);
	did[0] = 0;
	assert_int_equal(machine_end(&machine, END_REBOOT), 0);
	expect("phase users\nsignal all of above 15\nsignal all of above 18\n");
	assert_int_equal(machine.phase_deadline, now + 6000 + 2 * (10000 + 6000)); /* for those two, no others */
	machine_exited(&machine, 0, true, 15, false);
	expect("above: stopped (0 ms)\nsignal all of kubelet 15\nsignal all of kubelet 18\n");
	machine_exited(&machine, 1, true, 15, false);
	expect("kubelet: stopped (0 ms)\nprobe runtime: end-pods\nphase before\n");
	assert_int_equal(machine.phase_deadline, now + 8000);
	machine_phase_done(&machine, PHASE_SERVICES); /* not the phase it is in */
	assert_int_equal(machine.phase, PHASE_BEFORE);
	pass(7000);
	expect("kill probe of runtime\nphase services\nsignal all of other 15\nsignal all of other 18\n"
	       "signal all of runtime 15\nsignal all of runtime 18\n");
	machine_exited(&machine, 4, true, 15, false);
	machine_exited(&machine, 3, true, 15, false);
	expect("runtime: stopped (0 ms)\nother: stopped (0 ms)\nphase kill\n");
	machine_phase_done(&machine, PHASE_KILL);
	expect("phase logs\n");
}

static void a_request_is_a_verb_and_at_most_a_name(void **state)
{
	static const struct {
		const char *text;
		bool good;
		const char *verb, *name;
	} cases[] = {
		{"keelson 1 services", true, "services", ""},
		{"keelson 1 start kubelet", true, "start", "kubelet"},
		{"keelson 1 start a b", false, NULL, NULL},
		{"keelson 1 ", false, NULL, NULL},
		{"keelson 2 services", false, NULL, NULL},
		{"services", false, NULL, NULL},
		{"", false, NULL, NULL},
		{"keelson 1  kubelet", false, NULL, NULL},
	};
	const char *verb, *name;
	char text[64];
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		strcpy(text, cases[i].text);
		assert_int_equal(control_parse(text, &verb, &name), cases[i].good);
		if (!cases[i].good)
			continue;
		assert_string_equal(verb, cases[i].verb);
		assert_string_equal(name, cases[i].name);
	}
}

/* Each requires the one before it, and wants the first. */
static void as_many_services_as_there_may_be_start_and_stop_in_order(void **state)
{
	char name[16], text[100];
	(void)state;

	for (unsigned i = 0; i < SERVICES_MAX; i++) {
		snprintf(name, sizeof name, "s%03u", i);
		snprintf(text, sizeof text,
			 "[Unit]\nRequires=s%03u.service\nWants=s000.service\n[Service]\nExecStart=/bin/a\n", i - 1);
		add(name, i ? text : strstr(text, "[Service]"));
	}
	boot();
	for (unsigned i = 0; i < SERVICES_MAX; i++) {
		assert_int_equal(machine.units[i].state, ST_STARTING);
		machine_event(&machine, i, EV_EXECUTED);
	}
	pass(1000);
	assert_int_equal(machine_stop(&machine, 0, false), 0);
	for (unsigned i = SERVICES_MAX; i-- > 0;) {
		assert_int_equal(machine.units[i].state, ST_STOPPING);
		machine_exited(&machine, i, true, 15, false);
	}
	assert_int_equal(machine_start(&machine, SERVICES_MAX - 1), 0);
	for (unsigned i = 0; i < SERVICES_MAX; i++)
		machine_event(&machine, i, EV_EXECUTED);
	assert_int_equal(machine_next_deadline(&machine), 0);
	assert_int_equal(machine_end(&machine, END_REBOOT), 0);
	for (unsigned i = SERVICES_MAX; i-- > 0;) {
		assert_int_equal(machine.units[i].state, ST_STOPPING);
		machine_exited(&machine, i, true, 15, false);
	}
	assert_int_equal(machine.phase, PHASE_KILL);
}

static void a_count_of_failures_does_not_begin_anew(void **state)
{
	(void)state;
	add("web", "[Service]\nExecStart=/bin/web\n[Keelson]\nReady=exec:ask\n");
	boot();
	machine_event(&machine, 0, EV_EXECUTED);
	machine_tick(&machine);
	machine.units[0].probe_failures = UINT16_MAX;
	machine_probe_result(&machine, 0, false);
	assert_int_equal(machine.units[0].probe_failures, UINT16_MAX);
	assert_int_equal(machine.units[0].probe_at, now + 2000);
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
		cmocka_unit_test_setup(a_service_that_may_take_for_ever_has_no_bound_to_tell, clear),
		cmocka_unit_test_setup(readiness_is_asked_at_once_and_then_ever_less_often, clear),
		cmocka_unit_test_setup(liveness_needs_several_failures_in_a_row, clear),
		cmocka_unit_test_setup(giving_up_is_told_with_what_helps, clear),
		cmocka_unit_test_setup(it_gives_up_after_exactly_so_many_failures, clear),
		cmocka_unit_test_setup(who_waits_does_not_start_what_has_given_up, clear),
		cmocka_unit_test_setup(no_phase_of_the_end_outlasts_its_bound, clear),
		cmocka_unit_test_setup(only_a_service_that_is_up_has_something_to_do_before_the_end, clear),
		cmocka_unit_test_setup(whoever_requires_it_stops_first_and_comes_back_with_it, clear),
		cmocka_unit_test_setup(no_probe_begins_on_the_way_down, clear),
		cmocka_unit_test_setup(a_restart_that_is_under_way_ends_with_the_machine, clear),
		cmocka_unit_test(ready_counts_line_by_line),
		cmocka_unit_test(what_a_service_says_it_does_is_kept_until_it_says_something_else),
		cmocka_unit_test(times_are_told_as_people_say_them),
		cmocka_unit_test_setup(what_is_on_its_way_is_not_started_twice, clear),
		cmocka_unit_test_setup(only_what_is_not_there_cannot_be_stopped, clear),
		cmocka_unit_test_setup(a_start_while_it_stops_counts_once_it_has_stopped, clear),
		cmocka_unit_test_setup(what_it_requires_or_wants_comes_along, clear),
		cmocka_unit_test_setup(a_start_does_not_hurry_what_it_requires, clear),
		cmocka_unit_test_setup(what_waits_for_a_lost_cause_holds_up_nobody_else, clear),
		cmocka_unit_test_setup(what_was_stopped_by_hand_holds_up_what_requires_it_only, clear),
		cmocka_unit_test_setup(readiness_comes_from_where_the_service_says, clear),
		cmocka_unit_test_setup(an_end_with_success_is_no_failure, clear),
		cmocka_unit_test_setup(a_run_that_lasted_long_enough_forgets_failures, clear),
		cmocka_unit_test_setup(a_start_that_takes_too_long_is_a_failure, clear),
		cmocka_unit_test_setup(who_may_take_for_ever_to_stop_gets_10_s_on_the_way_down, clear),
		cmocka_unit_test_setup(what_the_main_process_left_is_asked_once_more, clear),
		cmocka_unit_test_setup(kill_mode_process_kills_no_more_than_the_main_process, clear),
		cmocka_unit_test_setup(what_remains_of_a_finished_service_goes_when_it_is_stopped, clear),
		cmocka_unit_test_setup(the_program_that_ended_a_stop_that_was_asked_for_does_not_come_back, clear),
		cmocka_unit_test_setup(an_event_that_cannot_happen_is_told, clear),
		cmocka_unit_test_setup(nobody_is_told_to_wait_for_one_that_waits_itself, clear),
		cmocka_unit_test_setup(the_next_deadline_is_the_earliest, clear),
		cmocka_unit_test_setup(an_answer_that_came_too_late_is_not_heard, clear),
		cmocka_unit_test_setup(an_answer_ends_a_row_of_failures, clear),
		cmocka_unit_test_setup(users_of_what_must_be_ended_first_go_before_all_others, clear),
		cmocka_unit_test(a_request_is_a_verb_and_at_most_a_name),
		cmocka_unit_test_setup(as_many_services_as_there_may_be_start_and_stop_in_order, clear),
		cmocka_unit_test_setup(a_count_of_failures_does_not_begin_anew, clear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
