/* What pods took from the node, told in lines. */
#include "api/pressure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
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
	assert_told((struct pressure){.free_percent = -1}, "");
	assert_told((struct pressure){.free_percent = 20}, "");
	assert_told((struct pressure){.free_percent = 100}, "");
}

static void a_disk_is_told_in_bands(void **state)
{
	(void)state;
	assert_told((struct pressure){.free_percent = 19}, "/var: less than 20 % free\n");
	assert_told((struct pressure){.free_percent = 15}, "/var: less than 20 % free\n");
	assert_told((struct pressure){.free_percent = 14},
		    "/var: less than 15 % free, pods that fill it are evicted\n");
	assert_told((struct pressure){.free_percent = 0}, "/var: less than 15 % free, pods that fill it are evicted\n");
}

static void a_disk_that_was_full_is_told_when_it_is_no_more(void **state)
{
	(void)state;
	assert_told((struct pressure){.free_percent = 14, .full_until = 1764720000},
		    "/var: less than 15 % free, pods that fill it are evicted\n");
	assert_told((struct pressure){.free_percent = 15, .full_until = 1764720000},
		    "/var: less than 20 % free\n/var: had less than 15 % free until 2025-12-03T00:00:00Z\n");
	assert_told((struct pressure){.free_percent = 70, .full_until = 1764720000},
		    "/var: had less than 15 % free until 2025-12-03T00:00:00Z\n");
}

static void that_it_was_full_is_remembered(void **state)
{
	char folder[] = "/tmp/full-XXXXXX", path[64];
	struct pressure pressure;
	(void)state;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/var-full", folder);
	for (int percent = 15; percent >= -1; percent -= 16) {
		pressure_remember(path, &(struct pressure){.free_percent = percent});
		pressure_gather(&(struct pressure_paths){"/nowhere", "/nowhere", path, "/nowhere"}, &pressure);
		assert_int_equal(pressure.full_until, 0);
	}
	pressure_remember(path, &(struct pressure){.free_percent = 14});
	pressure_gather(&(struct pressure_paths){"/nowhere", "/nowhere", path, "/nowhere"}, &pressure);
	assert_in_range(time(NULL) - pressure.full_until, 0, 60);
	unlink(path);
	rmdir(folder);
}

static void programs_that_were_ended_are_counted(void **state)
{
	(void)state;
	assert_told((struct pressure){.ended = 1, .free_percent = 50},
		    "pods: 1 program ended by the kernel for lack of memory\n");
	assert_told((struct pressure){.ended = 12, .free_percent = 50},
		    "pods: 12 programs ended by the kernel for lack of memory\n");
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
	pressure_gather(&(struct pressure_paths){folder, folder, "/nowhere", "/nowhere"}, &pressure);
	assert_int_equal(pressure.ended, 3);
	assert_in_range(pressure.free_percent, 0, 100);
	pressure_gather(&(struct pressure_paths){"/nowhere", "/nowhere", "/nowhere", "/nowhere"}, &pressure);
	assert_int_equal(pressure.ended, 0);
	assert_int_equal(pressure.free_percent, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_well_node_says_nothing),
		cmocka_unit_test(a_disk_is_told_in_bands),
		cmocka_unit_test(a_disk_that_was_full_is_told_when_it_is_no_more),
		cmocka_unit_test(that_it_was_full_is_remembered),
		cmocka_unit_test(programs_that_were_ended_are_counted),
		cmocka_unit_test(it_is_read_from_the_cgroup_and_the_file_system),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
