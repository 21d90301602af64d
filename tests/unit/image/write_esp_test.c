#include "disk/write_esp.h"

#include "scratch.h"

static struct esp esp;
static struct err err;

static int fresh(void **state)
{
	static char paths[3][PATH_MAX];
	(void)state;

	strcpy(paths[0], in_scratch("systemd-bootx64.efi"));
	strcpy(paths[1], in_scratch("uki.efi"));
	strcpy(paths[2], in_scratch("esp.img"));
	unlink(paths[2]);
	write_pattern(paths[0], 140891, 1);
	write_pattern(paths[1], 3000000, 2);
	esp = (struct esp){.version = "1.4.0",
			   .systemd_boot = paths[0],
			   .uki = paths[1],
			   .bytes = 272 << 20,
			   .time = 1700000000,
			   .output = paths[2]};
	return 0;
}

static void run_at_utc(const char *const *argv, struct buf *output)
{
	const char *env[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TZ=UTC", "MTOOLSRC=/dev/null", NULL};
	const struct process process = {.argv = argv, .env = env, .output = output};

	if (process_run_ok(&process, &err) < 0)
		fail_msg("%s", err.text);
}

static void it_holds_the_loader_twice_and_one_kernel_image(void **state)
{
	const char *argv[] = {"mdir", "-i", esp.output, "-/", "::", NULL};
	struct buf text = {0};
	(void)state;

	assert_int_equal(write_esp(&esp, &err), 0);
	run_at_utc(argv, &text);
	assert_golden("image/esp.txt", buf_string(&text));
	buf_free(&text);
}

static void the_loader_waits_for_nobody_and_can_not_be_edited(void **state)
{
	const char *argv[] = {"mtype", "-i", esp.output, "::/loader/loader.conf", NULL};
	struct buf text = {0};
	(void)state;

	assert_int_equal(write_esp(&esp, &err), 0);
	run_at_utc(argv, &text);
	assert_golden("image/loader.conf", buf_string(&text));
	buf_free(&text);
}

static void fsck_finds_nothing_to_mend_and_the_files_are_whole(void **state)
{
	const char *fsck[] = {"fsck.vfat", "-n", esp.output, NULL};
	const char *uki[] = {"mcopy", "-n", "-i", esp.output, "::/EFI/Linux/keelson_1.4.0.efi", in_scratch("back"),
			     NULL};
	struct buf text = {0};
	(void)state;

	assert_int_equal(write_esp(&esp, &err), 0);
	run_at_utc(fsck, &text);
	run_at_utc(uki, &text);
	assert_same_file(in_scratch("back"), esp.uki);
	buf_free(&text);
}

static void the_same_input_gives_the_same_bytes_later_too(void **state)
{
	const char *first = esp.output;
	(void)state;

	assert_int_equal(write_esp(&esp, &err), 0);
	esp.output = in_scratch("again.img");
	sleep(2); /* FAT counts in steps of two seconds */
	assert_int_equal(write_esp(&esp, &err), 0);
	assert_same_file(first, esp.output);
	unlink(esp.output);
}

static void a_kernel_image_larger_than_the_partition_is_refused_with_both_sizes(void **state)
{
	char expected[PATH_MAX + 200];
	size_t before;
	(void)state;

	assert_int_equal(truncate(esp.uki, 280 << 20), 0);
	before = count_files();
	assert_int_equal(write_esp(&esp, &err), -ENOSPC);
	snprintf(expected, sizeof expected,
		 "EFI system partition: %s of 293601280 bytes and the loader need 298077366 bytes, which is larger "
		 "than the "
		 "partition of 285212672",
		 esp.uki);
	assert_string_equal(err.text, expected);
	assert_int_equal(count_files(), before);
}

static void what_a_killed_build_left_is_no_obstacle(void **state)
{
	size_t before = count_files();
	(void)state;

	write_text(in_scratch(".esp.img.new"), "half");
	write_text(in_scratch(".esp.img.new.files/loader.conf"), "half");
	assert_int_equal(make_directories(in_scratch(".esp.img.new.files/EFI"), 0755, &err), 0);
	assert_int_equal(write_esp(&esp, &err), 0);
	assert_int_equal(count_files(), before + 1);
}

static void a_missing_loader_is_named(void **state)
{
	(void)state;
	esp.systemd_boot = "/nowhere/systemd-bootx64.efi";
	assert_int_equal(write_esp(&esp, &err), -ENOENT);
	assert_string_equal(err.text, "EFI system partition: /nowhere/systemd-bootx64.efi: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(it_holds_the_loader_twice_and_one_kernel_image, fresh),
		cmocka_unit_test_setup(the_loader_waits_for_nobody_and_can_not_be_edited, fresh),
		cmocka_unit_test_setup(fsck_finds_nothing_to_mend_and_the_files_are_whole, fresh),
		cmocka_unit_test_setup(the_same_input_gives_the_same_bytes_later_too, fresh),
		cmocka_unit_test_setup(a_kernel_image_larger_than_the_partition_is_refused_with_both_sizes, fresh),
		cmocka_unit_test_setup(what_a_killed_build_left_is_no_obstacle, fresh),
		cmocka_unit_test_setup(a_missing_loader_is_named, fresh),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
