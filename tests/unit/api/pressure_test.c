/* What pods took from the node, told in lines. */
#include "api/pressure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/file.h"
#include "unit/test.h"

static void assert_told(struct pressure pressure, const char *expected)
{
	struct buf out = {0};

	assert_int_equal(pressure_text(&pressure, &out), 0);
	assert_string_equal(out.len ? buf_string(&out) : "", expected);
	buf_free(&out);
}

static void a_well_node_says_nothing(void **state)
{
	(void)state;
	assert_told((struct pressure){0, -1}, "");
	assert_told((struct pressure){0, 15}, "");
	assert_told((struct pressure){0, 100}, "");
}

static void a_disk_is_told_in_bands(void **state)
{
	(void)state;
	assert_told((struct pressure){0, 14}, "/var: less than 15 % free\n");
	assert_told((struct pressure){0, 10}, "/var: less than 15 % free\n");
	assert_told((struct pressure){0, 9}, "/var: less than 10 % free, pods that fill it are evicted\n");
	assert_told((struct pressure){0, 0}, "/var: less than 10 % free, pods that fill it are evicted\n");
}

static void programs_that_were_ended_are_counted(void **state)
{
	(void)state;
	assert_told((struct pressure){1, 50}, "pods: 1 program ended by the kernel for lack of memory\n");
	assert_told((struct pressure){12, 50}, "pods: 12 programs ended by the kernel for lack of memory\n");
}

static void it_is_read_from_the_cgroup_and_the_file_system(void **state)
{
	static const char events[] = "low 0\nhigh 0\nmax 7\noom 5\noom_kill 3\noom_group_kill 0\n";
	char folder[] = "/tmp/kubepods-XXXXXX", path[64];
	struct pressure pressure;
	(void)state;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/memory.events", folder);
	assert_int_equal(file_write_atomic(path, events, strlen(events), 0600, NULL), 0);
	pressure_gather(folder, folder, &pressure);
	assert_int_equal(pressure.ended, 3);
	assert_in_range(pressure.free_percent, 0, 100);
	pressure_gather("/nowhere", "/nowhere", &pressure);
	assert_int_equal(pressure.ended, 0);
	assert_int_equal(pressure.free_percent, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_well_node_says_nothing),
		cmocka_unit_test(a_disk_is_told_in_bands),
		cmocka_unit_test(programs_that_were_ended_are_counted),
		cmocka_unit_test(it_is_read_from_the_cgroup_and_the_file_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
