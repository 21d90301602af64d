#include "lib/service_file.h"

#include "unit/test.h"

static struct service service;
static struct err err;

static int parse(const char *text)
{
	err.text[0] = 0;
	return service_file_parse("a/web.service", text, strlen(text), &service, &err);
}

static void refused(const char *text, const char *why)
{
	assert_int_equal(parse(text), -EINVAL);
	assert_string_equal(err.text, why);
}

static void a_whole_file_is_read(void **state)
{
	(void)state;
	assert_int_equal(parse("# comment\n"
			       "[Unit]\n"
			       "Description=the web, \"quoted\"\n"
			       "After=storage.service network.service\n"
			       "After=time.service\n"
			       "ConditionPathExists=!/run/off\n"
			       "\n"
			       "[Service]\n"
			       "Type = notify\n"
			       "ExecStart=/usr/bin/web --root \"/srv/my files\" \\\n"
			       "; a comment in between\n"
			       "  --percent 100%% 'it''s' $ARGS\n"
			       "Environment=A=1 \"B=two words\"\n"
			       "EnvironmentFile=-/run/web.env\n"
			       "TimeoutStartSec=1min 30s\n"
			       "LimitNOFILE=1048576\n"
			       "LimitCORE=infinity\n"
			       "MemoryMin=64M\n"
			       "OOMScoreAdjust=-999\n"
			       "KillMode=process\n"
			       "Restart=always\n"
			       "CapabilityBoundingSet=CAP_NET_ADMIN CAP_CHOWN\n"
			       "[Keelson]\n"
			       "Story=yes\n"
			       "Liveness=exec:keelson probe cri\n"
			       "LivenessSec=2s\n"),
			 0);
	assert_string_equal(service.name, "web");
	assert_int_equal(service.type, SERVICE_NOTIFY);
	assert_string_equal(service_word(&service, service.description, 0), "the web, \"quoted\"");
	assert_int_equal(service.after_names.count, 3);
	assert_string_equal(service_word(&service, service.after_names, 0), "storage");
	assert_string_equal(service_word(&service, service.after_names, 2), "time");
	assert_string_equal(service_word(&service, service.conditions, 0), "!/run/off");
	assert_int_equal(service.exec_start.count, 7);
	assert_string_equal(service_word(&service, service.exec_start, 2), "/srv/my files");
	assert_string_equal(service_word(&service, service.exec_start, 4), "100%");
	assert_string_equal(service_word(&service, service.exec_start, 5), "its");
	assert_string_equal(service_word(&service, service.exec_start, 6), "$ARGS");
	assert_string_equal(service_word(&service, service.exec_start, 7), "");
	assert_string_equal(service_word(&service, service.environment, 1), "B=two words");
	assert_string_equal(service_word(&service, service.environment_files, 0), "-/run/web.env");
	assert_int_equal(service.start_timeout, 90000);
	assert_true(service.limit_nofile == 1048576 && service.limit_core == UINT64_MAX);
	assert_true(service.memory_min == 64 << 20);
	assert_int_equal(service.oom_score_adjust, -999);
	assert_int_equal(service.kill_mode, KILL_PROCESS);
	assert_int_equal(service.restart, RESTART_ALWAYS);
	assert_true(service.bound_capabilities && service.capabilities == ((1 << 12) | 1));
	assert_true(service.story);
	assert_string_equal(service_word(&service, service.liveness, 2), "cri");
	assert_int_equal(service.liveness_interval, 2000);
}

static void defaults_hold_where_nothing_is_said(void **state)
{
	(void)state;
	assert_int_equal(parse("[Service]\nExecStart=/bin/true\n"), 0);
	assert_int_equal(service.start_timeout, 90000);
	assert_int_equal(service.stop_timeout, 10000);
	assert_int_equal(service.liveness_failures, 3);
	assert_int_equal(service.healthy_after, 5000);
	assert_int_equal(parse("[Service]\nType=oneshot\nExecStart=/bin/true\n"), 0);
	assert_true(service.start_timeout == SERVICE_FOREVER);
}

static void an_empty_value_empties_a_list(void **state)
{
	(void)state;
	assert_int_equal(parse("[Unit]\nAfter=a.service\nAfter=\nAfter=b.service\n[Service]\nExecStart=/bin/true\n"),
			 0);
	assert_int_equal(service.after_names.count, 1);
	assert_string_equal(service_word(&service, service.after_names, 0), "b");
}

static void lists_grow_with_every_line(void **state)
{
	(void)state;
	assert_int_equal(
		parse("[Unit]\nConditionPathExists=/a\nConditionPathExists=/b\n[Service]\nExecStart=/bin/true\n"
		      "Environment=A=1 B=2\nEnvironment=C=3\nReadOnlyPaths=/a\nReadOnlyPaths=/b /c\n"),
		0);
	assert_int_equal(service.conditions.count, 2);
	assert_int_equal(service.environment.count, 3);
	assert_int_equal(service.read_only_paths.count, 3);
	assert_string_equal(service_word(&service, service.environment, 2), "C=3");
	assert_int_equal(parse("[Service]\nEnvironment=A=1\nExecStart=/bin/true\nEnvironment=B=2\n"), 0);
	assert_int_equal(service.environment.count, 2);
	assert_string_equal(service_word(&service, service.environment, 0), "A=1");
	assert_string_equal(service_word(&service, service.environment, 1), "B=2");
	assert_string_equal(service_word(&service, service.exec_start, 0), "/bin/true");
}

static void a_probe_is_a_command_or_for_ready_a_descriptor(void **state)
{
	static const char *const bad[] = {"Ready=fd:2",	 "Ready=fd:256",  "Ready=fd:3x", "Ready=fd:",
					  "Ready=exec:", "Liveness=fd:3", "Ready=/bin/a"};
	char text[100];

	(void)state;
	assert_int_equal(parse("[Service]\nExecStart=/bin/true\n[Keelson]\nReady=fd:3\n"), 0);
	assert_int_equal(service.ready_fd, 3);
	assert_int_equal(service.ready.count, 0);
	assert_int_equal(parse("[Service]\nExecStart=/bin/true\n[Keelson]\nReady=fd:255\n"), 0);
	assert_int_equal(service.ready_fd, 255);
	assert_int_equal(parse("[Service]\nExecStart=/bin/true\n[Keelson]\nReady=exec:a b\nLiveness=exec:c\n"), 0);
	assert_int_equal(service.ready_fd, 0);
	assert_string_equal(service_word(&service, service.ready, 1), "b");
	assert_string_equal(service_word(&service, service.liveness, 0), "c");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		snprintf(text, sizeof text, "[Service]\nExecStart=/bin/true\n[Keelson]\n%s\n", bad[i]);
		assert_int_equal(parse(text), -EINVAL);
		assert_non_null(strstr(err.text, "expected exec:COMMAND"));
	}
}

static void blanks_around_a_line_are_skipped(void **state)
{
	(void)state;
	assert_int_equal(parse(" \t[Service]\t \r\n \tType = \tnotify \t\r\nExecStart=/bin/true\r\n"), 0);
	assert_int_equal(service.type, SERVICE_NOTIFY);
	assert_string_equal(service_word(&service, service.exec_start, 0), "/bin/true");
}

static void an_error_names_line_column_and_the_nearest_key(void **state)
{
	(void)state;
	refused("[Service]\nExecStrat=/bin/true\n",
		"a/web.service:2:1: unknown key ExecStrat, did you mean ExecStart?");
	refused("[Service]\nKillmode=process\n", "a/web.service:2:1: unknown key Killmode, did you mean KillMode?");
	refused("[Service]\nZebraCrossing=1\n", "a/web.service:2:1: unknown key ZebraCrossing");
	refused("[Servce]\n", "a/web.service:1:1: unknown section [Servce], did you mean [Service]?");
	refused("[Service]\n  After=a.service\n",
		"a/web.service:2:3: key After belongs into [Unit], found in [Service]");
	refused("ExecStart=/bin/true\n", "a/web.service:1:1: expected a section such as [Unit] before the first key");
	refused("[Service]\njust words\n", "a/web.service:2:1: expected KEY=value");
	refused("[Service]\nType=notfy\n",
		"a/web.service:2:6: Type: expected simple, oneshot or notify, found \"notfy\", did you mean notify?");
	refused("[Service]\nType=simple\nType=notify\n", "a/web.service:3:1: key Type has a value already");
	refused("[Service]\nTimeoutStopSec=10 parsecs\n",
		"a/web.service:2:19: TimeoutStopSec: expected the unit ms, s, min or h");
	refused("[Service]\nTimeoutStopSec=infinity\n[Keelson]\nBeforeShutdownSec=infinity\n",
		"a/web.service:4:19: BeforeShutdownSec: expected at most 86400 s");
	refused("[Service]\nOOMScoreAdjust=-1001\n",
		"a/web.service:2:16: OOMScoreAdjust: expected a number from -1000 to 1000, found -1001");
	refused("[Service]\nExecStart=/bin/a \\\n  \"open\n", "a/web.service:3:3: expected a closing \"");
	refused("[Service]\nExecStart=/bin/a %i\n",
		"a/web.service:2:18: specifier %i is not supported, write %% for a percent sign");
	refused("[Service]\nExecStart=true\n",
		"a/web.service:2:11: ExecStart: expected the program's path from / on, found \"true\"");
	refused("[Unit]\nAfter=storage\n",
		"a/web.service:2:7: expected a name such as storage.service, found \"storage\"");
	refused("[Service]\nEnvironment=A=1 2B=2\n", "a/web.service:2:17: expected NAME=value, found \"2B=2\"");
	refused("[Service]\nEnvironment=A=1 B\n", "a/web.service:2:17: expected NAME=value, found \"B\"");
	refused("[Service]\nEnvironment=A=1 =2\n", "a/web.service:2:17: expected NAME=value, found \"=2\"");
	refused("[Service]\nCapabilityBoundingSet=CAP_SYS_ADMN\n",
		"a/web.service:2:23: CapabilityBoundingSet: unknown capability CAP_SYS_ADMN, did you mean "
		"CAP_SYS_ADMIN");
	refused("[Service]\nExecStart=/bin/\x01\n", "a/web.service:2:16: expected text, found byte 1");
}

static void sizes_and_numbers_have_their_bounds(void **state)
{
	static const struct {
		const char *line, *why; /* NULL: it is taken */
	} rows[] = {
		{"MemoryMax=64", NULL},
		{"MemoryMax=1K", NULL},
		{"MemoryMax=16777215T", NULL},
		{"MemoryMax=16777216T", "2:11: MemoryMax: expected a size such as 64M, found \"16777216T\""},
		{"MemoryMax=18446744073709551615", NULL},
		{"MemoryMax=18446744073709551616",
		 "2:11: MemoryMax: expected a size such as 64M, found \"18446744073709551616\""},
		{"MemoryMax=99999999999999999999",
		 "2:11: MemoryMax: expected a size such as 64M, found \"99999999999999999999\""},
		{"MemoryMax=M", "2:11: MemoryMax: expected a size such as 64M, found \"M\""},
		{"MemoryMax=64MB", "2:11: MemoryMax: expected a size such as 64M, found \"64MB\""},
		{"MemoryMax=64X", "2:11: MemoryMax: expected a size such as 64M, found \"64X\""},
		{"LimitNOFILE=infinity", NULL},
		{"LimitNOFILE=1", NULL},
		{"LimitNOFILE=0", "2:13: LimitNOFILE: expected a number above 0 or infinity, found \"0\""},
		{"LimitNOFILE=x", "2:13: LimitNOFILE: expected a number above 0 or infinity, found \"x\""},
		{"CPUWeight=1", NULL},
		{"CPUWeight=10000", NULL},
		{"CPUWeight=0", "2:11: CPUWeight: expected a number from 1 to 10000, found 0"},
		{"CPUWeight=10001", "2:11: CPUWeight: expected a number from 1 to 10000, found 10001"},
		{"CPUWeight=1x", "2:11: CPUWeight: expected a number from 1 to 10000, found \"1x\""},
		{"CPUWeight=", "2:11: CPUWeight: expected a number from 1 to 10000, found \"\""},
		{"CPUWeight=65537", "2:11: CPUWeight: expected a number from 1 to 10000, found 65537"},
		{"OOMScoreAdjust=-1000", NULL},
		{"OOMScoreAdjust=1000", NULL},
		{"OOMScoreAdjust=1001", "2:16: OOMScoreAdjust: expected a number from -1000 to 1000, found 1001"},
		{"OOMScoreAdjust=100000", "2:16: OOMScoreAdjust: expected a number from -1000 to 1000, found 100000"},
		{"OOMScoreAdjust=100001",
		 "2:16: OOMScoreAdjust: expected a number from -1000 to 1000, found \"100001\""},
	};
	char text[120], why[160];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		snprintf(text, sizeof text, "[Service]\n%s\nExecStart=/bin/true\n", rows[i].line);
		snprintf(why, sizeof why, "a/web.service:%s", rows[i].why ? rows[i].why : "");
		if (rows[i].why)
			refused(text, why);
		else
			assert_int_equal(parse(text), 0);
	}
	assert_int_equal(parse("[Service]\nExecStart=/bin/true\nMemoryMax=3K\nMemoryMin=2G\nLimitNOFILE=infinity\n"
			       "OOMScoreAdjust=-7\n"),
			 0);
	assert_true(service.memory_max == 3072 && service.memory_min == (uint64_t)2 << 30);
	assert_true(service.limit_nofile == UINT64_MAX);
	assert_int_equal(service.oom_score_adjust, -7);
}

static void contradictions_are_errors(void **state)
{
	(void)state;
	refused("[Service]\nType=simple\n", "a/web.service: expected ExecStart= in [Service], found none");
	refused("[Service]\nType=oneshot\nRestart=always\nExecStart=/bin/true\n",
		"a/web.service: Restart=always contradicts Type=oneshot");
	refused("[Service]\nRemainAfterExit=yes\nExecStart=/bin/true\n",
		"a/web.service: RemainAfterExit=yes needs Type=oneshot");
	for (size_t i = 0; i < 3; i++) {
		static const char *const probes[] = {"Ready=fd:3", "Ready=exec:a", "Liveness=exec:a"};
		char text[100];

		snprintf(text, sizeof text, "[Service]\nType=oneshot\nExecStart=/bin/true\n[Keelson]\n%s\n", probes[i]);
		refused(text, "a/web.service: Ready= and Liveness= contradict Type=oneshot");
	}
	refused("[Service]\nType=notify\nExecStart=/bin/true\n[Keelson]\nReady=exec:a\n",
		"a/web.service: Ready= contradicts Type=notify");
	refused("[Service]\nType=notify\nExecStart=/bin/true\n[Keelson]\nReady=fd:3\n",
		"a/web.service: Ready= contradicts Type=notify");
}

static void text_beyond_its_room_is_an_error(void **state)
{
	static char text[6000];
	int len = snprintf(text, sizeof text, "[Service]\nExecStart=/bin/true ");

	(void)state;
	memset(text + len, 'x', 3000);
	assert_int_equal(parse(text), -EINVAL);
	assert_non_null(strstr(err.text, "a/web.service:2:21: expected at most 2048 bytes of text"));
	memset(text + len, 'x', sizeof text - (size_t)len - 1);
	assert_int_equal(parse(text), -EINVAL);
	assert_non_null(strstr(err.text, "expected a value of at most"));
}

static void a_name_is_short_and_plain(void **state)
{
	static const char text[] = "[Service]\nExecStart=/bin/true\n";

	(void)state;
	assert_int_equal(service_file_parse("Web.service", text, sizeof text - 1, &service, &err), -EINVAL);
	assert_int_equal(service_file_parse("web.conf", text, sizeof text - 1, &service, &err), -EINVAL);
	assert_int_equal(service_file_parse("a-name-that-is-longer-than-32-letters.service", text, sizeof text - 1,
					    &service, &err),
			 -EINVAL);
}

static void times_have_their_bounds_and_are_added_up(void **state)
{
	static const char most[] = "a/web.service:2:16: TimeoutStopSec: expected at most 86400 s";
	(void)state;

	assert_int_equal(parse("[Service]\nTimeoutStopSec=86400\nExecStart=/bin/a\n"), 0);
	assert_int_equal(service.stop_timeout, 86400000);
	refused("[Service]\nTimeoutStopSec=86400s 1ms\n", most);
	refused("[Service]\nTimeoutStopSec=18446744073709551615s\n", most);
	refused("[Service]\nTimeoutStopSec=1ms 18446744073709551615ms\n", most);
	assert_int_equal(parse("[Service]\nTimeoutStopSec=1ms\nExecStart=/bin/a\n"), 0);
	assert_int_equal(service.stop_timeout, 1);
	refused("[Service]\nTimeoutStopSec=0\n", "a/web.service:2:16: TimeoutStopSec: expected more than 0");
	assert_int_equal(parse("[Service]\nTimeoutStopSec=1h 2min 3 s\nExecStart=/bin/a\n"), 0);
	assert_int_equal(service.stop_timeout, 3723000);
}

static void an_unknown_escape_is_an_error_and_a_known_one_its_character(void **state)
{
	(void)state;
	refused("[Service]\nExecStart=/bin/a \\q\n", "a/web.service:2:19: unknown escape \\q");
	assert_int_equal(parse("[Service]\nExecStart=/bin/a \\\"b\\ c\\t 100%%\n"), 0);
	assert_string_equal(service_word(&service, service.exec_start, 1), "\"b c\t");
	assert_string_equal(service_word(&service, service.exec_start, 2), "100%");
	assert_int_equal(parse("[Service]\nExecStart=/bin/a\\\nb\\\nc\n"), 0); /* a line's end divides, too */
	assert_string_equal(service_word(&service, service.exec_start, 1), "b");
	assert_string_equal(service_word(&service, service.exec_start, 2), "c");
}

static void a_service_that_is_named_has_at_most_31_letters(void **state)
{
	(void)state;
	assert_int_equal(parse("[Unit]\nAfter=a-name-that-may-be-31-letters-1.service\n[Service]\nExecStart=/a\n"), 0);
	assert_string_equal(service_word(&service, service.after_names, 0), "a-name-that-may-be-31-letters-1");
	refused("[Unit]\nAfter=a-name-that-may-be-31-letters-12.service\n",
		"a/web.service:2:7: expected a name of at most 31 characters");
}

/* The 2048 bytes begin with the empty string; then "/a" and the words with their ends. */
static void text_fills_its_room_to_the_last_byte(void **state)
{
	char text[3000];
	(void)state;

	for (int more = 0; more < 2; more++) {
		snprintf(text, sizeof text,
			 "[Service]\nExecStart=/a %0*d\nEnvironment=A=1\nUser=b\nEnvironment=%0*d=1\n", 1000, 0,
			 1030 + more, 0);
		strstr(text, "Environment=0")[12] = '_';
		if (more) {
			assert_int_equal(parse(text), -EINVAL);
			assert_non_null(strstr(err.text, "expected at most 2048 bytes of text and 64 words"));
			continue;
		}
		assert_int_equal(parse(text), 0);
		assert_int_equal(service.text_used, 2048);
		assert_string_equal(service_word(&service, service.environment, 0), "A=1");
		assert_int_equal(strlen(service_word(&service, service.environment, 1)), 1032);
	}
}

/* The heap, so that ASan sees a read too far. */
static void a_file_may_end_anywhere(void **state)
{
	static const char text[] = "# a \\\n[Unit]  \nAfter = a.service  \\\n # b\n b.service\n[Service] \n"
				   "ExecStart=/bin/a \\\n  \"b c\" \\";
	(void)state;

	for (size_t len = 0; len < sizeof text; len++) {
		char *copy = malloc(len ? len : 1);

		memcpy(copy, text, len);
		service_file_parse("a/web.service", copy, len, &service, &err);
		free(copy);
	}
	assert_int_equal(parse(text), 0);
	assert_int_equal(service.after_names.count, 2);
	assert_string_equal(service_word(&service, service.exec_start, 1), "b c");
}

static void a_value_has_at_most_64_lines_and_the_end_of_the_file_is_none(void **state)
{
	char text[1000] = "[Service]\nExecStart=/bin/a\\\n";
	(void)state;

	for (int i = 0; i < 63; i++)
		strcat(text, " b\\\n");
	assert_int_equal(parse(text), 0);
	assert_int_equal(service.exec_start.count, 64);
	strcat(text, "\n");
	assert_int_equal(parse(text), -EINVAL);
	assert_string_equal(err.text, "a/web.service:66:1: expected a value of at most 4094 bytes and 64 lines");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_file_is_read),
		cmocka_unit_test(defaults_hold_where_nothing_is_said),
		cmocka_unit_test(an_empty_value_empties_a_list),
		cmocka_unit_test(lists_grow_with_every_line),
		cmocka_unit_test(a_probe_is_a_command_or_for_ready_a_descriptor),
		cmocka_unit_test(blanks_around_a_line_are_skipped),
		cmocka_unit_test(an_error_names_line_column_and_the_nearest_key),
		cmocka_unit_test(sizes_and_numbers_have_their_bounds),
		cmocka_unit_test(contradictions_are_errors),
		cmocka_unit_test(text_beyond_its_room_is_an_error),
		cmocka_unit_test(a_name_is_short_and_plain),
		cmocka_unit_test(times_have_their_bounds_and_are_added_up),
		cmocka_unit_test(an_unknown_escape_is_an_error_and_a_known_one_its_character),
		cmocka_unit_test(a_service_that_is_named_has_at_most_31_letters),
		cmocka_unit_test(text_fills_its_room_to_the_last_byte),
		cmocka_unit_test(a_file_may_end_anywhere),
		cmocka_unit_test(a_value_has_at_most_64_lines_and_the_end_of_the_file_is_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
