/* What the kernel says of pods that take too much: records as Linux 6.1 wrote them. */
#include "api/kernel_trouble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "unit/test.h"

#define UID "0d4f1c1e-9b0a-4a51-b9ab-0c6f3a1c9d10"
#define POD "/kubepods/besteffort/pod" UID
#define OOM(limit, task)                                                                                               \
	"6,1234,5678,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0," limit            \
	"task_memcg=" task ",task=tail,pid=99,uid=0\n"

static void a_pod_that_reached_its_limit_is_named_with_the_program(void **state)
{
	struct kernel_trouble trouble;
	(void)state;

	assert_true(kernel_trouble_parse(OOM("oom_memcg=" POD ",", POD "/abc"), &trouble));
	assert_int_equal(trouble.kind, TROUBLE_MEMORY);
	assert_true(trouble.pod);
	assert_string_equal(trouble.whose, UID);
	assert_string_equal(trouble.program, "tail");
	assert_string_equal(trouble.limit, "the pod's limit is reached");
}

static void whose_limit_it_was_is_told(void **state)
{
	struct kernel_trouble trouble;
	(void)state;

	assert_true(kernel_trouble_parse(OOM("oom_memcg=/kubepods,", POD "/abc"), &trouble));
	assert_string_equal(trouble.limit, "what all pods may have is used up");
	assert_true(kernel_trouble_parse(OOM("global_oom,", POD "/abc"), &trouble));
	assert_string_equal(trouble.limit, "the machine's memory is used up");
}

static void a_service_is_named_too(void **state)
{
	struct kernel_trouble trouble;
	(void)state;

	assert_true(kernel_trouble_parse(OOM("global_oom,", "/kube/containerd"), &trouble));
	assert_false(trouble.pod);
	assert_string_equal(trouble.whose, "containerd");
}

static void a_refused_fork_names_the_pod(void **state)
{
	struct kernel_trouble trouble;
	(void)state;

	assert_true(
		kernel_trouble_parse("6,9,9,-;cgroup: fork rejected by pids controller in " POD "/abc\n", &trouble));
	assert_int_equal(trouble.kind, TROUBLE_PROCESSES);
	assert_true(trouble.pod);
	assert_string_equal(trouble.whose, UID);
}

static void everything_else_is_none(void **state)
{
	static const char *const records[] = {
		"",
		"6,1,1,-",
		"6,1,1,-;eth0: link up\n",
		"6,1,1,-;oom-kill:constraint=CONSTRAINT_NONE\n",
		"6,1,1,-;oom-kill:constraint=CONSTRAINT_NONE,task_memcg=" POD "/abc\n",
		"6,1,1,-;cgroup: fork rejected by pids controller in /\n",
		"6,1,1,-;cgroup: fork rejected by pids controller in /kubepods/besteffort\n",
		"6,1,1,-;cgroup: fork rejected by pids controller in /kubepods/pod/x\n",
		"6,1,1,-;cgroup: fork rejected by pids controller in system\n",
		"6,1,1,-;cgroup: fork rejected by pids controller in /system\n",
		"6,1,1,-;cgroup: fork rejected by pids controller in /system/\n",
		"6,1,1,-;a pod said: oom-kill:constraint=,task_memcg=" POD ",task=x,\n",
	};
	struct kernel_trouble trouble;
	(void)state;

	for (size_t i = 0; i < sizeof records / sizeof *records; i++)
		assert_false(kernel_trouble_parse(records[i], &trouble));
}

static void a_pod_s_name_is_that_of_its_log_folder(void **state)
{
	char logs[] = "/tmp/pods-XXXXXX", path[256], name[128];
	(void)state;

	assert_non_null(mkdtemp(logs));
	snprintf(path, sizeof path, "%s/default_hog_%s", logs, UID);
	assert_int_equal(mkdir(path, 0700), 0);
	pod_name(logs, UID, name, sizeof name);
	assert_string_equal(name, "default/hog");
	pod_name(logs, "other", name, sizeof name);
	assert_string_equal(name, "other");
	pod_name("/nowhere", "other", name, sizeof name);
	assert_string_equal(name, "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pod_that_reached_its_limit_is_named_with_the_program),
		cmocka_unit_test(whose_limit_it_was_is_told),
		cmocka_unit_test(a_service_is_named_too),
		cmocka_unit_test(a_refused_fork_names_the_pod),
		cmocka_unit_test(everything_else_is_none),
		cmocka_unit_test(a_pod_s_name_is_that_of_its_log_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
