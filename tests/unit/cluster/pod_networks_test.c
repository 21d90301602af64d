/* Records of pod networks are forgotten once a boot. */
#include "cluster/pod_networks.h"

#include <stdbool.h>

#include "lib/file.h"
#include "unit/test.h"

static char top[] = "/tmp/pod-networks-XXXXXX";
static char records[64], flag[64];

static void put(const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", records, name);
	assert_int_equal(file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
}

static bool has(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", records, name);
	return access(path, F_OK) == 0;
}

static void what_an_earlier_boot_left_is_removed_once(void **state)
{
	struct err err = {""};

	(void)state;
	put("results/keelson-05747436-eth0", ""); /* as a power cut leaves it */
	put("networks/keelson/10.244.0.2", "05747436\r\neth0");
	assert_int_equal(forget_pod_networks(records, flag, &err), 0);
	assert_true(has("."));
	assert_false(has("results"));
	assert_false(has("networks"));
	put("results/keelson-11111111-eth0", "{}");
	assert_int_equal(forget_pod_networks(records, flag, &err), 0);
	assert_true(has("results/keelson-11111111-eth0"));
}

static void nothing_there_is_no_error(void **state)
{
	char other[80];

	(void)state;
	snprintf(other, sizeof other, "%s-2", flag);
	assert_int_equal(forget_pod_networks("/nowhere/cni", other, NULL), 0);
	assert_int_equal(access(other, F_OK), 0);
}

static void what_cannot_be_marked_is_an_error(void **state)
{
	struct err err = {""};

	(void)state;
	assert_int_equal(forget_pod_networks("/nowhere/cni", "/nowhere/flag", &err), -ENOENT);
	assert_string_equal(err.text, "make /nowhere/flag: No such file or directory");
}

static int make_top(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(top));
	snprintf(records, sizeof records, "%s/cni", top);
	snprintf(flag, sizeof flag, "%s/flag", top);
	return 0;
}

static int remove_top(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_an_earlier_boot_left_is_removed_once),
		cmocka_unit_test(nothing_there_is_no_error),
		cmocka_unit_test(what_cannot_be_marked_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
