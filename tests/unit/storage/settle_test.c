/* What is settled once /var is there: machine id, random seed, clock, directories, and whose disk it is. */
#include <sys/stat.h>
#include <unistd.h>

#include "lib/build_time.h"
#include "lib/file.h"
#include "storage/clock_floor.h"
#include "storage/find_state.h"
#include "storage/machine_id.h"
#include "storage/random_seed.h"
#include "storage/var_tree.h"

#include "unit/test.h"

#define SMBIOS "4f1c3c0e-9d5b-4a7e-8b64-0C5A1F2E3D4C\n"

static char scratch[] = "/tmp/keelson-settle-XXXXXX";
static const unsigned char random_bytes[64] = {0xab, 0xcd, 0xef, 1, 2, 3, 0xf4, 5, 0xf6, 7};

static int make(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static int drop(void **state)
{
	char command[200];
	(void)state;

	snprintf(command, sizeof command, "rm -rf %s", scratch);
	return system(command);
}

static void the_machine_id_that_is_kept_wins(void **state)
{
	char id[MACHINE_ID_TEXT];
	(void)state;

	assert_int_equal(choose_machine_id("0123456789abcdef0123456789abcdee\n", SMBIOS, random_bytes, id),
			 MACHINE_ID_KEPT);
	assert_string_equal(id, "0123456789abcdef0123456789abcdee");
}

static void the_smbios_uuid_is_taken_once(void **state)
{
	char id[MACHINE_ID_TEXT];
	(void)state;

	assert_int_equal(choose_machine_id(NULL, SMBIOS, random_bytes, id), MACHINE_ID_SMBIOS);
	assert_string_equal(id, "4f1c3c0e9d5b4a7e8b640c5a1f2e3d4c");
	assert_int_equal(choose_machine_id("", SMBIOS, random_bytes, id), MACHINE_ID_SMBIOS);
	assert_int_equal(choose_machine_id("0123", SMBIOS, random_bytes, id), MACHINE_ID_SMBIOS);
	assert_int_equal(choose_machine_id("00000000000000000000000000000000", SMBIOS, random_bytes, id),
			 MACHINE_ID_SMBIOS);
	assert_int_equal(choose_machine_id("not hexadecimal, but 32 letters.", SMBIOS, random_bytes, id),
			 MACHINE_ID_SMBIOS);
}

static void a_uuid_that_many_machines_share_is_not(void **state)
{
	static const char *const shared[] = {
		"00000000-0000-0000-0000-000000000000",
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
		"03000200-0400-0500-0006-000700080009",
		"12345678-1234-5678-90AB-CDDEEFAABBCC",
		"FEFEFEFE-FEFE-FEFE-FEFE-FEFEFEFEFEFE",
		"4C4C4544-0000-2010-8020-80C04F202020",
		"Not Settable",
		"",
		"4f1c3c0e-9d5b-4a7e-8b64-0c5a1f2e3d4",
		"4f1c3c0e-9d5b-4a7e-8b64-0c5a1f2e3d4c0",
	};
	char id[MACHINE_ID_TEXT];
	(void)state;

	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
		assert_int_equal(choose_machine_id(NULL, shared[i], random_bytes, id), MACHINE_ID_RANDOM);
		assert_string_equal(id, "abcdef0102034405b607000000000000");
	}
	assert_int_equal(choose_machine_id(NULL, NULL, random_bytes, id), MACHINE_ID_RANDOM);
}

static void a_uuid_that_ends_as_it_begins_is_its_own(void **state)
{
	static const char *const own[] = {
		"4f1c3c0e-9d5b-4a7e-8b64-0c5a1f2e3d4f", "4f4f4f4f-4f4f-4f4f-4f4f-4f4f4f4f4f4e",
		"4f4f4f4f-4f4f-4f4f-4f4f-4f4f4f4f4f5f", "414f4f4f-4f4f-4f4f-4f4f-4f4f4f4f4f4f",
		"4f4f4f4f-4f4f-4f4f-4f4f-4f4f4f4f5f4f"};
	char id[MACHINE_ID_TEXT];
	(void)state;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		assert_int_equal(choose_machine_id(NULL, own[i], random_bytes, id), MACHINE_ID_SMBIOS);
}

static void the_clock_is_moved_only_where_it_is_absurd(void **state)
{
	enum { BUILT = 1800000000, DAY = 86400 };
	const int64_t year = 365 * DAY;
	const struct {
		int64_t now, saved;
		enum clock_verdict verdict;
		int64_t set_to;
	} rows[] = {
		{0, 0, CLOCK_BEHIND, BUILT}, /* 1970 */
		{BUILT - 1, 0, CLOCK_BEHIND, BUILT},
		{BUILT, 0, CLOCK_RIGHT, BUILT},
		{BUILT + DAY, BUILT + 2 * DAY, CLOCK_BEHIND,
		 BUILT + 2 * DAY},				       /* before the last time known to be right */
		{BUILT + DAY, BUILT - year, CLOCK_RIGHT, BUILT + DAY}, /* the image is newer than what was saved */
		{BUILT + 10 * 3600, 0, CLOCK_RIGHT, BUILT + 10 * 3600},
		{BUILT + 14 * year, 0, CLOCK_RIGHT, BUILT + 14 * year},
		{BUILT + 15 * year, 0, CLOCK_RIGHT, BUILT + 15 * year},
		{BUILT + 15 * year + 1, 0, CLOCK_AHEAD, BUILT},
		{BUILT + 16 * year, 0, CLOCK_AHEAD, BUILT},
		{4070908800, BUILT + DAY, CLOCK_AHEAD, BUILT + DAY}, /* 2099 */
	};
	int64_t set_to;
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(judge_clock(rows[i].now, BUILT, rows[i].saved, &set_to), rows[i].verdict);
		assert_true(set_to == rows[i].set_to);
	}
	/* nothing known: nothing done */
	assert_int_equal(judge_clock(4070908800, 0, 0, &set_to), CLOCK_RIGHT);
}

static void the_build_time_is_read_from_os_release(void **state)
{
	(void)state;
	assert_int_equal(build_time("ID=keelson\nBUILD_TIME=1764600000\nX=1\n"), 1764600000);
	assert_int_equal(build_time("BUILD_TIME=\"1764600000\""), 1764600000);
	assert_int_equal(build_time("MY_BUILD_TIME=5\n"), 0);
	assert_int_equal(build_time("BUILD_TIME=soon\n"), 0);
	assert_int_equal(build_time("BUILD_TIME=12monkeys\n"), 0);
	assert_int_equal(build_time("BUILD_TIME=-1\n"), 0);
	assert_int_equal(build_time("BUILD_TIME=\n"), 0);
	assert_int_equal(build_time("BUILD_TIME=17646000000000000000\n"), 0);
	assert_int_equal(build_time(""), 0);
}

static void only_a_seed_of_good_numbers_is_credited(void **state)
{
	unsigned char first[SEED_FILE_BYTES], second[SEED_FILE_BYTES], third[SEED_FILE_BYTES], again[SEED_FILE_BYTES];
	(void)state;

	assert_false(next_seed(NULL, 0, random_bytes, false, first)); /* the very first boot, numbers still poor */
	assert_int_equal(first[SEED_BYTES], '0');
	assert_false(next_seed(first, sizeof first, random_bytes, true, second));
	assert_int_equal(second[SEED_BYTES], '1');
	assert_true(next_seed(second, sizeof second, random_bytes, false, third));
	assert_int_equal(third[SEED_BYTES], '1'); /* as good as the one it was made from */
	assert_memory_not_equal(second, third, SEED_BYTES);
	assert_false(next_seed(second, 64, random_bytes, false, again)); /* cut short */
	assert_false(next_seed(second, 0, random_bytes, false, again));
	assert_memory_equal(again, first, sizeof first);
	second[SEED_BYTES] = '?';
	assert_false(next_seed(second, sizeof second, random_bytes, true, again));
}

static void a_seed_is_renewed_on_the_disk(void **state)
{
	struct buf one = {0}, two = {0};
	char path[200];
	struct err err;
	struct stat st;
	(void)state;

	snprintf(path, sizeof path, "%s/seed", scratch);
	assert_int_equal(save_random_seed(path, &err), 0);
	assert_int_equal(file_read(path, 100, &one, &err), 0);
	assert_int_equal(save_random_seed(path, &err), 0);
	assert_int_equal(file_read(path, 100, &two, &err), 0);
	assert_int_equal(one.len, SEED_FILE_BYTES);
	assert_memory_not_equal(one.data, two.data, SEED_BYTES);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	buf_free(&one);
	buf_free(&two);
}

static void the_directories_of_var_are_made_once_and_kept_right(void **state)
{
	char path[200];
	struct stat st;
	struct err err;
	(void)state;

	if (getuid())
		skip();
	assert_int_equal(make_var_tree(scratch, &err), 0);
	snprintf(path, sizeof path, "%s/lib/etcd", scratch);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(make_var_tree(scratch, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(st.st_uid, 901);
	snprintf(path, sizeof path, "%s/tmp", scratch);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 01777);
	rmdir(path);
	assert_int_equal(symlink("/etc", path), 0);
	assert_int_not_equal(make_var_tree(scratch, &err), 0);
	assert_non_null(strstr(err.text, "/tmp: "));
}

static void sys_file(const char *name, const char *content)
{
	char path[300];
	struct err err;

	snprintf(path, sizeof path, "%s/sys/%s", scratch, name);
	assert_int_equal(file_write_atomic(path, content, strlen(content), 0644, &err), 0);
}

static void sys_link(const char *name, const char *target)
{
	char path[300], parent[300];
	struct err err;

	snprintf(path, sizeof path, "%s/sys/%s", scratch, name);
	snprintf(parent, sizeof parent, "%s", path);
	*strrchr(parent, '/') = 0;
	assert_int_equal(make_directories(parent, 0755, &err), 0);
	assert_int_equal(symlink(target, path), 0);
}

static void our_disk_is_the_one_that_the_root_was_verified_from(void **state)
{
	char sys[200], name[DEVICE_NAME];
	struct err err;
	(void)state;

	snprintf(sys, sizeof sys, "%s/sys", scratch);
	sys_file("devices/nvme0/nvme0n1/nvme0n1p3/partition", "3\n");
	sys_file("devices/nvme0/nvme0n1/nvme0n1p7/partition", "7\n");
	sys_file("devices/virtual/dm-0/dm/name", "root\n");
	sys_link("devices/virtual/dm-0/slaves/nvme0n1p3", "../../../nvme0/nvme0n1/nvme0n1p3");
	sys_link("class/block/dm-0", "../../devices/virtual/dm-0");
	sys_link("class/block/nvme0n1", "../../devices/nvme0/nvme0n1");
	sys_link("class/block/nvme0n1p3", "../../devices/nvme0/nvme0n1/nvme0n1p3");
	sys_link("class/block/sr0", "../../devices/sr0");
	sys_link("dev/block/253:0", "../../devices/virtual/dm-0");
	sys_link("dev/block/11:0", "../../devices/sr0");
	sys_file("devices/sr0/size", "1\n");

	assert_int_equal(find_root_disk(sys, 253, 0, name, &err), 0);
	assert_string_equal(name, "nvme0n1");
	assert_int_equal(find_partition(sys, "nvme0n1", 7, name, &err), 0);
	assert_string_equal(name, "nvme0n1p7");
	assert_int_equal(find_partition(sys, "nvme0n1", 8, name, &err), -ENODEV);
	assert_string_equal(err.text, "nvme0n1: the kernel shows no partition 8");
	assert_int_equal(find_root_disk(sys, 11, 0, name, &err), -ENODEV);
	assert_string_equal(err.text, "the root file system is on sr0, expected a partition of a disk");
	assert_true(find_root_disk(sys, 0, 22, name, &err) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_id_that_is_kept_wins),
		cmocka_unit_test(the_smbios_uuid_is_taken_once),
		cmocka_unit_test(a_uuid_that_many_machines_share_is_not),
		cmocka_unit_test(a_uuid_that_ends_as_it_begins_is_its_own),
		cmocka_unit_test(the_clock_is_moved_only_where_it_is_absurd),
		cmocka_unit_test(the_build_time_is_read_from_os_release),
		cmocka_unit_test(only_a_seed_of_good_numbers_is_credited),
		cmocka_unit_test(a_seed_is_renewed_on_the_disk),
		cmocka_unit_test(the_directories_of_var_are_made_once_and_kept_right),
		cmocka_unit_test(our_disk_is_the_one_that_the_root_was_verified_from),
	};
	return cmocka_run_group_tests(tests, make, drop);
}
