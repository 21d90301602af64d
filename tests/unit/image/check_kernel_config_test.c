#include "boot/check_kernel_config.h"

#include "lib/file.h"
#include "unit/test.h"

static const char config[] = "CONFIG_BLOCK=y\nCONFIG_DM_VERITY=m\n# CONFIG_RD_ZSTD is not set\nCONFIG_NR_CPUS=512\n"
			     "CONFIG_DM_VERITY_FEC=y\n";
static struct buf misses;
static struct err err;

static int forget(void **state)
{
	(void)state;
	buf_free(&misses);
	return 0;
}

static void a_module_serves_where_a_module_may(void **state)
{
	(void)state;
	assert_int_equal(check_kernel_config("# why\nCONFIG_DM_VERITY=ym  root\nCONFIG_BLOCK=m  disks\n"
					     "CONFIG_BLOCK=y  disks\nCONFIG_RD_ZSTD=n  none\nCONFIG_ABSENT=n  none\n",
					     config, &misses, &err),
			 0);
	assert_string_equal(buf_string(&misses), "");
}

static void every_miss_is_named_with_its_reason(void **state)
{
	(void)state;
	assert_int_equal(check_kernel_config("CONFIG_DM_VERITY=y  before modules are there\n"
					     "CONFIG_RD_ZSTD=y  the initramfs is compressed with zstd\n"
					     "CONFIG_EROFS_FS=ym  root image\nCONFIG_BLOCK=n  no disks\n",
					     config, &misses, &err),
			 1);
	assert_string_equal(buf_string(&misses),
			    "CONFIG_DM_VERITY: expected y, found m (before modules are there)\n"
			    "CONFIG_RD_ZSTD: expected y, found n (the initramfs is compressed with zstd)\n"
			    "CONFIG_EROFS_FS: expected y or m, found n (root image)\n"
			    "CONFIG_BLOCK: expected n, found y (no disks)\n");
}

static void a_number_does_not_count_as_yes(void **state)
{
	(void)state;
	assert_int_equal(check_kernel_config("CONFIG_NR_CPUS=y  cpus\n", config, &misses, &err), 1);
	assert_string_equal(buf_string(&misses), "CONFIG_NR_CPUS: expected y, found 512 (cpus)\n");
}

static void a_requirement_without_a_reason_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check_kernel_config("\nCONFIG_BLOCK=y\n", config, &misses, &err), -EINVAL);
	assert_string_equal(err.text,
			    "required, line 2: expected \"CONFIG_NAME=y|m|ym|n  why\", found \"CONFIG_BLOCK=y\"");
}

static void a_line_that_asks_for_nothing_is_refused(void **state)
{
	static const char *const bad[] = {"BLOCK=y  disks", "CONFIG_BLOCK  disks", "CONFIG_BLOCK=my  disks",
					  "CONFIG_BLOCK=yy  disks", "CONFIG_BLOCK=512  disks"};
	char longer[322];
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(check_kernel_config(bad[i], config, &misses, &err), -EINVAL);
	memset(longer, '#', sizeof longer - 1);
	longer[320] = 0;
	assert_int_equal(check_kernel_config(longer, config, &misses, &err), -EINVAL);
	assert_string_equal(err.text, "required, line 1: expected at most 319 bytes, found 320");
	longer[319] = 0;
	assert_int_equal(check_kernel_config(longer, config, &misses, &err), 0);
	assert_int_equal(check_kernel_config("  \t\n \t# x\nCONFIG_BLOCK=y  disks", config, &misses, &err), 0);
}

static void a_part_of_an_options_name_is_another_option(void **state)
{
	(void)state;
	assert_int_equal(check_kernel_config("CONFIG_DM_VERITY=m  verity\nCONFIG_DM=n  no\nCONFIG_LAST=y  last",
					     "CONFIG_DM_VERITY_FEC=y\nCONFIG_DM_VERITY=m\nCONFIG_LAST=y", &misses,
					     &err),
			 0);
}

static void what_is_no_kernel_configuration_is_refused(void **state)
{
	(void)state;
	assert_int_equal(check_kernel_config("CONFIG_BLOCK=y  disks\n", "hello\n", &misses, &err), -EINVAL);
}

static void the_project_s_own_list_can_be_read(void **state)
{
	struct buf required = {0};
	(void)state;

	assert_int_equal(file_read("kernel/required.config", 1 << 20, &required, &err), 0);
	assert_int_equal(check_kernel_config(buf_string(&required), config, &misses, &err), 1);
	buf_free(&required);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_module_serves_where_a_module_may, forget),
		cmocka_unit_test_teardown(every_miss_is_named_with_its_reason, forget),
		cmocka_unit_test_teardown(a_number_does_not_count_as_yes, forget),
		cmocka_unit_test_teardown(a_requirement_without_a_reason_is_refused, forget),
		cmocka_unit_test_teardown(a_line_that_asks_for_nothing_is_refused, forget),
		cmocka_unit_test_teardown(a_part_of_an_options_name_is_another_option, forget),
		cmocka_unit_test_teardown(what_is_no_kernel_configuration_is_refused, forget),
		cmocka_unit_test_teardown(the_project_s_own_list_can_be_read, forget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
