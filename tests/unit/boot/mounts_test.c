#include "boot/mounts.h"

#include <sys/mount.h>

#include "boot/prepare_node.h"
#include "boot/tell.h"
#include "lib/buf.h"
#include "lib/file.h"
#include "unit/test.h"

static struct buf done;
static const char *fails, *there;
static int failure;

static bool is_there(const char *target)
{
	return there && !strcmp(target, there);
}

static int make(const char *path)
{
	buf_addf(&done, "make %s\n", path);
	return 0;
}

static int do_mount(const struct mount_row *row)
{
	if (fails && !strcmp(row->target, fails))
		return failure;
	buf_addf(&done, "%s on %s flags %lx data %s\n", row->type, row->target, row->flags,
		 row->data ? row->data : "-");
	return 0;
}

static const struct mount_system recorder = {is_there, make, do_mount};

static int forget(void **state)
{
	(void)state;
	buf_free(&done);
	fails = there = NULL;
	return 0;
}

static void the_node_s_mounts_are_these(void **state)
{
	(void)state;
	assert_int_equal(mount_all(MOUNT_STAGE2, &recorder, NULL), 0);
	assert_golden("boot/mounts.txt", buf_string(&done));
}

static void stage_1_mounts_its_own_rows_only(void **state)
{
	(void)state;
	assert_int_equal(mount_all(MOUNT_STAGE1, &recorder, NULL), 0);
	assert_non_null(strstr(buf_string(&done), "tmpfs on /run "));
	assert_null(strstr(buf_string(&done), "/etc"));
}

static void what_is_mounted_already_is_left_alone(void **state)
{
	(void)state;
	there = "/run";
	assert_int_equal(mount_all(MOUNT_STAGE2, &recorder, NULL), 0);
	assert_null(strstr(buf_string(&done), " on /run "));
	assert_non_null(strstr(buf_string(&done), " on /etc "));
}

static void a_missing_optional_file_system_stops_nothing(void **state)
{
	(void)state;
	fails = "/sys/firmware/efi/efivars";
	failure = -ENODEV;
	assert_int_equal(mount_all(MOUNT_STAGE2, &recorder, NULL), 0);
	assert_non_null(strstr(buf_string(&done), " on /etc "));
}

static void a_missing_needed_one_is_named(void **state)
{
	struct err err;
	(void)state;

	fails = "/etc";
	failure = -ENODEV;
	assert_int_equal(mount_all(MOUNT_STAGE2, &recorder, &err), -ENODEV);
	assert_string_equal(err.text, "mount overlay on /etc: No such device");
}

static void every_row_is_bounded_and_has_its_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < mount_rows_count; i++) {
		const struct mount_row *row = &mount_rows[i];

		assert_true(strlen(row->reason) > 0);
		assert_true(row->flags & MS_NOSUID);
		if (!strcmp(row->type, "tmpfs"))
			assert_non_null(strstr(row->data, "size="));
		for (size_t j = i + 1; j < mount_rows_count; j++) { /* nothing hides what was mounted before it */
			size_t len = strlen(mount_rows[j].target);

			assert_false(!strncmp(row->target, mount_rows[j].target, len) &&
				     (row->target[len] == '/' || !row->target[len]));
		}
	}
}

static void sysctls_are_written_and_a_missing_one_is_no_error(void **state)
{
	char root[] = "/tmp/keelson-sysctl-XXXXXX", path[64];
	struct buf value = {0};
	(void)state;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof path, "%s/vm/max_map_count", root);
	assert_int_equal(file_write_atomic(path, "65530\n", 6, 0600, NULL), 0);
	snprintf(path, sizeof path, "%s/kernel/core_pattern", root);
	assert_int_equal(file_write_atomic(path, "", 0, 0600, NULL), 0);
	assert_int_equal(write_sysctls(root), 2);
	assert_int_equal(file_read(path, 100, &value, NULL), 0);
	assert_string_equal(buf_string(&value), "\n");
	buf_free(&value);
	snprintf(path, sizeof path, "%s/vm/max_map_count", root);
	assert_int_equal(file_read(path, 100, &value, NULL), 0);
	assert_string_equal(buf_string(&value), "262144\n");
	buf_free(&value);
}

static void a_kernel_without_a_needed_controller_is_told(void **state)
{
	char root[] = "/tmp/keelson-cgroup-XXXXXX", path[64];
	struct err err;
	(void)state;

	assert_non_null(mkdtemp(root));
	assert_true(prepare_cgroups(root, &err) < 0);
	assert_non_null(strstr(err.text, "move PID 1 to /tmp/keelson-cgroup-"));
	snprintf(path, sizeof path, "%s/init/cgroup.procs", root);
	assert_int_equal(file_write_atomic(path, "", 0, 0600, NULL), 0);
	assert_true(prepare_cgroups(root, &err) < 0);
	assert_non_null(strstr(err.text, "cgroup controller cpuset: "));
	snprintf(path, sizeof path, "%s/cgroup.subtree_control", root);
	assert_int_equal(file_write_atomic(path, "", 0, 0600, NULL), 0);
	assert_int_equal(prepare_cgroups(root, &err), 0);
}

static void a_line_of_the_story_has_its_columns(void **state)
{
	char line[64];
	(void)state;

	tell_format(line, sizeof line, 41, "root", "keelson_1.4.0 slot A");
	assert_string_equal(line, "[ 0.41] root        keelson_1.4.0 slot A\n");
	tell_format(line, sizeof line, 12005, "controller-manager", "x");
	assert_string_equal(line, "[120.05] controller-manager x\n");
	assert_int_equal(tell_format(line, 24, 0, "root", "too long for this line"), 23);
	assert_string_equal(line, "[ 0.00] root        to\n");
}

#define recorded(test) cmocka_unit_test_setup_teardown(test, forget, forget)

int main(void)
{
	const struct CMUnitTest tests[] = {
		recorded(the_node_s_mounts_are_these),
		recorded(stage_1_mounts_its_own_rows_only),
		recorded(what_is_mounted_already_is_left_alone),
		recorded(a_missing_optional_file_system_stops_nothing),
		recorded(a_missing_needed_one_is_named),
		cmocka_unit_test(every_row_is_bounded_and_has_its_reason),
		cmocka_unit_test(sysctls_are_written_and_a_missing_one_is_no_error),
		cmocka_unit_test(a_kernel_without_a_needed_controller_is_told),
		cmocka_unit_test(a_line_of_the_story_has_its_columns),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
