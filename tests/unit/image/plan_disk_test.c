#include "disk/plan_disk.h"

#include "unit/test.h"

#define MIB ((uint64_t)1 << 20)

static struct disk_description d;
static struct disk_plan plan;
static struct err err;

static int fresh(void **state)
{
	(void)state;
	d = (struct disk_description){.version = "1.4.0"};
	for (unsigned i = 0; i < sizeof d.root_hash; i++)
		d.root_hash[i] = (uint8_t)(0xa0 + i);
	return 0;
}

static void the_default_disk_is_the_table_of_the_design(void **state)
{
	struct buf text = {0};
	(void)state;

	assert_int_equal(plan_disk(&d, &plan, &err), 0);
	assert_int_equal(describe_disk(&plan, &text), 0);
	assert_golden("image/disk_plan.txt", buf_string(&text));
	buf_free(&text);
}

static void the_same_version_gives_the_same_names_and_another_does_not(void **state)
{
	struct disk_plan again, other;
	(void)state;

	strcpy(err.text, "of before");
	assert_int_equal(plan_disk(&d, &plan, &err), 0);
	assert_string_equal(err.text, "of before");
	assert_int_equal(plan_disk(&d, &again, &err), 0);
	assert_memory_equal(&plan, &again, sizeof plan);
	d.version = "1.4.1";
	assert_int_equal(plan_disk(&d, &other, &err), 0);
	assert_string_not_equal(plan.guid, other.guid);
	assert_string_equal(plan.partitions[DISK_ROOT_A].uuid, other.partitions[DISK_ROOT_A].uuid);
}

static void no_two_partitions_share_a_uuid_or_a_sector(void **state)
{
	(void)state;
	assert_int_equal(plan_disk(&d, &plan, &err), 0);
	for (unsigned i = 0; i < DISK_PARTITIONS; i++)
		for (unsigned j = 0; j < i; j++) {
			assert_string_not_equal(plan.partitions[i].uuid, plan.partitions[j].uuid);
			assert_true(plan.partitions[i].first >= plan.partitions[j].first + plan.partitions[j].sectors);
		}
}

static void a_root_larger_than_its_slot_is_refused_with_both_sizes(void **state)
{
	(void)state;
	d.root_bytes = 100 * MIB;
	d.root_used = 100 * MIB + 4096;
	assert_int_equal(plan_disk(&d, &plan, &err), -ENOSPC);
	assert_string_equal(err.text, "plan the disk: root of 104861696 bytes is larger than its slot of 104857600");
	d.root_used = 100 * MIB;
	assert_int_equal(plan_disk(&d, &plan, &err), 0);
}

static void a_tree_larger_than_its_slot_is_refused_with_both_sizes(void **state)
{
	(void)state;
	d.verity_used = 16 * MIB;
	assert_int_equal(plan_disk(&d, &plan, &err), 0);
	d.verity_used = 17 * MIB;
	assert_int_equal(plan_disk(&d, &plan, &err), -ENOSPC);
	assert_string_equal(err.text,
			    "plan the disk: verity tree of 17825792 bytes is larger than its slot of 16777216");
}

static void a_disk_too_small_is_refused_with_the_size_it_needs(void **state)
{
	(void)state;
	d.disk_bytes = (uint64_t)3 << 30;
	assert_int_equal(plan_disk(&d, &plan, &err), -ENOSPC);
	assert_string_equal(
		err.text, "plan the disk: disk of 3221225472 bytes: expected at least 3526361088 for these partitions");
	d.disk_bytes = 3526361088;
	assert_int_equal(plan_disk(&d, &plan, &err), 0);
	assert_int_equal(plan.partitions[DISK_STATE].sectors, 256 * MIB / DISK_SECTOR);
}

static void sizes_are_whole_mebibytes(void **state)
{
	(void)state;
	d.esp_bytes = 64 * MIB + 512;
	assert_int_equal(plan_disk(&d, &plan, &err), -EINVAL);
	assert_string_equal(err.text,
			    "plan the disk: esp: expected a multiple of 1 MiB up to 1 PiB, found 67109376 bytes");
}

static void a_version_that_is_no_label_or_hides_a_counter_is_refused(void **state)
{
	static const char *const wrong[] = {"",	     "1.0+3",	"1 0", "1/0", "12345678901234567890123456789",
					    "1.0\n", "\xc3\xa4"};
	(void)state;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		d.version = wrong[i];
		assert_int_equal(plan_disk(&d, &plan, &err), -EINVAL);
	}
	d.version = "1.0~rc1-2_x";
	assert_int_equal(plan_disk(&d, &plan, &err), 0);
	assert_string_equal(plan.partitions[DISK_ROOT_A].label, "keelson_1.0~rc1-2_x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_default_disk_is_the_table_of_the_design, fresh),
		cmocka_unit_test_setup(the_same_version_gives_the_same_names_and_another_does_not, fresh),
		cmocka_unit_test_setup(no_two_partitions_share_a_uuid_or_a_sector, fresh),
		cmocka_unit_test_setup(a_root_larger_than_its_slot_is_refused_with_both_sizes, fresh),
		cmocka_unit_test_setup(a_tree_larger_than_its_slot_is_refused_with_both_sizes, fresh),
		cmocka_unit_test_setup(a_disk_too_small_is_refused_with_the_size_it_needs, fresh),
		cmocka_unit_test_setup(sizes_are_whole_mebibytes, fresh),
		cmocka_unit_test_setup(a_version_that_is_no_label_or_hides_a_counter_is_refused, fresh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
