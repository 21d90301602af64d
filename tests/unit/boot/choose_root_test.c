#include "boot/choose_root.h"

#include "boot/find_root.h"
#include "unit/test.h"

static const struct root_patience hurry = {false, false}, quiet = {true, false}, patient = {true, true};
static struct err err;

static struct roots_found disks(size_t count, bool esp_named, bool first_has_esp, bool second_has_esp)
{
	struct roots_found found = {.count = count, .esp_named = esp_named};

	strcpy(found.candidates[0].disk, "vda");
	strcpy(found.candidates[1].disk, "sdb");
	found.candidates[0].holds_esp = first_has_esp;
	found.candidates[1].holds_esp = second_has_esp;
	return found;
}

static void no_disk_yet_means_waiting(void **state)
{
	struct roots_found found = disks(0, true, false, false);
	(void)state;

	assert_int_equal(choose_root(&found, &patient, &err), -EAGAIN);
}

static void the_loader_s_disk_is_taken_at_once(void **state)
{
	struct roots_found found = disks(1, true, true, true); /* behind the last there is none */
	(void)state;

	assert_int_equal(choose_root(&found, &hurry, &err), 0);
}

static void of_two_disks_the_loader_s_is_ours(void **state)
{
	struct roots_found found = disks(2, true, false, true);
	(void)state;

	assert_int_equal(choose_root(&found, &hurry, &err), 1);
}

static void two_disks_without_a_loader_s_word_are_an_error_that_names_both(void **state)
{
	struct roots_found found = disks(2, false, false, false);
	(void)state;

	assert_int_equal(choose_root(&found, &hurry, &err), -EAGAIN);
	assert_int_equal(choose_root(&found, &quiet, &err), -ENOTUNIQ);
	assert_string_equal(err.text,
			    "expected one disk with this root, found /dev/vda and /dev/sdb: detach one of them");
}

static void two_clones_of_the_loader_s_disk_are_an_error_that_names_both(void **state)
{
	struct roots_found found = disks(2, true, true, true);
	(void)state;

	assert_int_equal(choose_root(&found, &quiet, &err), -ENOTUNIQ);
	assert_string_equal(err.text, "expected one disk with this root and the loader's partition, found /dev/vda and "
				      "/dev/sdb: detach one of them");
}

static void a_single_disk_without_a_loader_s_word_is_taken_once_no_more_come(void **state)
{
	struct roots_found found = disks(1, false, false, false);
	(void)state;

	assert_int_equal(choose_root(&found, &hurry, &err), -EAGAIN);
	assert_int_equal(choose_root(&found, &quiet, &err), 0);
}

static void a_disk_that_is_not_the_loader_s_waits_for_the_loader_s(void **state)
{
	struct roots_found found = disks(1, true, false, false);
	(void)state;

	assert_int_equal(choose_root(&found, &quiet, &err), -EAGAIN);
	assert_int_equal(choose_root(&found, &patient, &err), 0);
}

static void a_loader_on_another_medium_holds_nobody_up(void **state)
{
	struct roots_found found = disks(1, true, false, false);
	(void)state;

	found.esp_elsewhere = true;
	assert_int_equal(choose_root(&found, &quiet, &err), 0);
}

static void slots_are_named_as_the_disk_is_laid_out(void **state)
{
	char text[24];
	(void)state;

	assert_string_equal(slot_name(3, text), "slot A");
	assert_string_equal(slot_name(5, text), "slot B");
	assert_string_equal(slot_name(12, text), "partition 12");
}

static void the_loader_s_variable_is_read_as_efivarfs_gives_it(void **state)
{
	static const char text[] = "C12A7328-f81f-11d2-ba4b-00a0c93ec93b";
	uint8_t data[4 + 2 * sizeof text] = {6, 0, 0, 0}, uuid[16], *exact;
	(void)state;

	for (size_t i = 0; i < sizeof text; i++)
		data[4 + 2 * i] = (uint8_t)text[i];
	assert_int_equal(parse_loader_partition(data, sizeof data, uuid), 0);
	assert_int_equal(uuid[0], 0xc1);
	assert_int_equal(uuid[15], 0x3b);
	exact = malloc(4 + 2 * 36); /* the heap, so that ASan sees a read too far */
	assert_non_null(exact);
	memcpy(exact, data, 4 + 2 * 36);
	assert_int_equal(parse_loader_partition(exact, 4 + 2 * 36, uuid), 0);
	free(exact);
	assert_int_equal(parse_loader_partition(data, 4 + 2 * 36 - 1, uuid), -EINVAL);
	assert_int_equal(parse_loader_partition(data, 0, uuid), -EINVAL);
	data[5] = 1;
	assert_int_equal(parse_loader_partition(data, sizeof data, uuid), -EINVAL);
}

static void of_three_clones_the_first_two_are_named(void **state)
{
	struct roots_found found = disks(3, false, false, false);
	(void)state;

	strcpy(found.candidates[2].disk, "sdc");
	assert_int_equal(choose_root(&found, &quiet, &err), -ENOTUNIQ);
	assert_string_equal(err.text,
			    "expected one disk with this root, found /dev/vda and /dev/sdb: detach one of them");
	found.esp_named = found.candidates[1].holds_esp = found.candidates[2].holds_esp = true;
	assert_int_equal(choose_root(&found, &quiet, &err), -ENOTUNIQ);
	assert_string_equal(err.text, "expected one disk with this root and the loader's partition, found /dev/sdb and "
				      "/dev/sdc: detach one of them");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_disk_yet_means_waiting),
		cmocka_unit_test(the_loader_s_disk_is_taken_at_once),
		cmocka_unit_test(of_two_disks_the_loader_s_is_ours),
		cmocka_unit_test(two_disks_without_a_loader_s_word_are_an_error_that_names_both),
		cmocka_unit_test(two_clones_of_the_loader_s_disk_are_an_error_that_names_both),
		cmocka_unit_test(a_single_disk_without_a_loader_s_word_is_taken_once_no_more_come),
		cmocka_unit_test(a_disk_that_is_not_the_loader_s_waits_for_the_loader_s),
		cmocka_unit_test(a_loader_on_another_medium_holds_nobody_up),
		cmocka_unit_test(slots_are_named_as_the_disk_is_laid_out),
		cmocka_unit_test(the_loader_s_variable_is_read_as_efivarfs_gives_it),
		cmocka_unit_test(of_three_clones_the_first_two_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
