#include "supervise/go_trace.h"

#include <string.h>

#include "unit/test.h"

struct line {
	const char *text;
	bool trace;
};

static void expect(const struct line *lines, size_t count)
{
	bool within = false;

	for (size_t i = 0; i < count; i++)
		if (go_trace_line(&within, lines[i].text, strlen(lines[i].text)) != lines[i].trace)
			fail_msg("\"%s\": expected %s", lines[i].text, lines[i].trace ? "a stack" : "no stack");
}

static void stacks_are_told_from_what_was_said_before_and_after_them(void **state)
{
	static const struct line lines[] = {
		{"F1203 11:57:12.000001     140 server.go:269] failed to run Kubelet: no (reason)", false},
		{"goroutine 1 [running]:", true},
		{"k8s.io/klog/v2.stacks(0xc000012001, 0xc0008, 0x8f, 0xde)", true},
		{"\tk8s.io/klog/v2/klog.go:1026 +0xb9", true},
		{"main.main()", true},
		{"goroutine 19 [chan receive, 2 minutes]:", true},
		{"main.(*T).run(...)", true},
		{"created by main.start in goroutine 1", true},
		{"\tk8s.io/component-base/logs/logs.go:58 +0x70", true},
		{"I1203 11:57:13.000001     140 server.go:1] goes on", false},
		{"\ta line with a tab", false},
		{"main.main()", false},
	};
	(void)state;

	expect(lines, sizeof lines / sizeof *lines);
}

static void what_only_resembles_a_stack_is_kept(void **state)
{
	static const struct line lines[] = {
		{"", false},
		{"g", false},
		{"goroutine ", false},
		{"goroutine 1 was slow", false},
		{"panic: assignment to entry in nil map", false},
		{"goroutine 1 [running]:", true},
		{"it ended (as asked)", false},
		{"goroutine 1 [running]:", true},
		{"(as asked)", false},
		{"goroutine 1 [running]:", true},
		{"", false},
	};
	(void)state;

	expect(lines, sizeof lines / sizeof *lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_told_from_what_was_said_before_and_after_them),
		cmocka_unit_test(what_only_resembles_a_stack_is_kept),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
