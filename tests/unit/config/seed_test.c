/* A directory stands for the mounted seed. */
#include "config/seed.h"

#include <sys/stat.h>

#include "config/datasource.h"
#include "config/last_good.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static char directory[] = "/tmp/keelson-seed-XXXXXX";

static int make(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int open_seed(void *arg, struct seed_files *files, struct err *err)
{
	return seed_open_directory(arg, files, err);
}

static const char *below(const char *name)
{
	static char path[200];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	return path;
}

static void put(const char *name, const char *text)
{
	struct err err;

	unlink(below(name));
	if (text)
		assert_int_equal(file_write_atomic(below(name), text, strlen(text), 0600, &err), 0);
}

static void a_seed_says_who_the_machine_is_and_what_it_shall_be(void **state)
{
	_cleanup_(seed_free) struct seed seed = {0};
	struct err err;
	(void)state;

	put("meta-data", "instance-id: i-7\nlocal-hostname: cp-1\npublic-keys: [x]\n");
	put("user-data", "#cloud-config\nkeelson: {role: single}\nssh_pwauth: no\n");
	assert_int_equal(seed_read(open_seed, directory, &seed, &err), 0);
	assert_int_equal(seed.errors, 0);
	assert_string_equal(seed.instance_id, "i-7");
	assert_string_equal(seed.local_hostname, "cp-1");
	assert_string_equal(seed.text, "#cloud-config\nkeelson: {role: single}\nssh_pwauth: no\n");
	assert_string_equal(seed.problems,
			    "user-data:3:1: warning: ssh_pwauth: ignored: a node has no accounts to log in to "
			    "and no SSH\n");
}

static void a_seed_without_one_of_its_files_says_which(void **state)
{
	_cleanup_(seed_free) struct seed first = {0}, second = {0};
	struct err err;
	(void)state;

	put("meta-data", NULL);
	put("user-data", "#cloud-config\n");
	assert_int_equal(seed_read(open_seed, directory, &first, &err), 0);
	assert_int_equal(first.errors, 1);
	assert_string_equal(first.problems,
			    "seed: meta-data: none found, and a seed needs both user-data and meta-data (an "
			    "empty one will do)\n");
	put("meta-data", "");
	put("user-data", NULL);
	assert_int_equal(seed_read(open_seed, directory, &second, &err), 0);
	assert_int_equal(second.errors, 1);
	assert_string_equal(second.problems,
			    "seed: user-data: none found, and a seed needs both user-data and meta-data (an "
			    "empty one will do)\n");
	assert_string_equal(second.instance_id, "nocloud");
}

static void files_that_are_not_used_are_named(void **state)
{
	_cleanup_(seed_free) struct seed seed = {0};
	struct err err;
	(void)state;

	put("meta-data", "instance-id: i-7\n");
	put("user-data", "#cloud-config\nhostname: a\n");
	put("network-config", "version: 2\n");
	put("vendor-data", "");
	assert_int_equal(seed_read(open_seed, directory, &seed, &err), 0);
	put("network-config", NULL);
	put("vendor-data", NULL);
	assert_int_equal(seed.errors, 0);
	assert_string_equal(seed.problems,
			    "seed: warning: network-config: ignored: the network comes from DHCP\n"
			    "seed: warning: vendor-data: ignored: what a node is, is said in user-data alone\n");
}

static void errors_of_both_files_are_told(void **state)
{
	_cleanup_(seed_free) struct seed seed = {0};
	struct err err;
	(void)state;

	put("meta-data", "instance-id: [i]\n");
	put("user-data", "#cloud-config\nkeelson: {rol: single}\n");
	assert_int_equal(seed_read(open_seed, directory, &seed, &err), 0);
	assert_int_equal(seed.errors, 2);
	assert_string_equal(seed.problems, "meta-data:1:14: instance-id: expected one word of at most 128 characters\n"
					   "user-data:2:11: keelson.rol: unknown key, the nearest is role\n");
	assert_null(seed.values);
}

static void links_and_endless_files_are_not_followed(void **state)
{
	_cleanup_(seed_free) struct seed first = {0}, second = {0};
	struct err err;
	char path[200];
	(void)state;

	put("meta-data", "");
	put("user-data", NULL);
	snprintf(path, sizeof path, "%s", below("user-data"));
	assert_int_equal(symlink("/etc/passwd", path), 0);
	assert_int_equal(seed_read(open_seed, directory, &first, &err), -ELOOP);
	assert_string_equal(err.text, "open user-data: Too many levels of symbolic links");
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(seed_read(open_seed, directory, &second, &err), -EINVAL);
	assert_string_equal(err.text, "user-data: expected a file");
	unlink(path);
}

static void a_file_beyond_the_bound_is_refused(void **state)
{
	_cleanup_(seed_free) struct seed seed = {0};
	struct err err;
	(void)state;

	put("meta-data", "");
	put("user-data", "#cloud-config\n");
	assert_int_equal(truncate(below("user-data"), 3 << 20), 0);
	assert_int_equal(seed_read(open_seed, directory, &seed, &err), -EFBIG);
	assert_string_equal(err.text, "user-data: expected at most 2097152 bytes, found more");
}

static void what_was_applied_is_read_back_through_the_same_checks(void **state)
{
	_cleanup_(seed_free) struct seed seed = {0}, kept = {0};
	struct stat before, after;
	struct err err;
	char path[200];
	(void)state;

	snprintf(path, sizeof path, "%s/config/last-good.json", directory);
	assert_int_equal(last_good_read(path, &kept, &err), 0);
	put("meta-data", "instance-id: i-7\nlocal-hostname: cp-1\n");
	put("user-data", "#cloud-config\nkeelson: {role: single}\n");
	assert_int_equal(seed_read(open_seed, directory, &seed, &err), 0);
	seed.source = strdup("NoCloud on /dev/sr0");
	assert_int_equal(last_good_save(path, &seed, &err), 0);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(before.st_mode & 07777, 0600);
	assert_int_equal(last_good_save(path, &seed, &err), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_true(before.st_ino == after.st_ino); /* not written again */

	assert_int_equal(last_good_read(path, &kept, &err), 1);
	assert_int_equal(kept.errors, 0);
	assert_string_equal(kept.instance_id, "i-7");
	assert_string_equal(kept.local_hostname, "cp-1");
	assert_string_equal(kept.source, "NoCloud on /dev/sr0");
	assert_true(json_equal(kept.values, seed.values));
}

static void a_damaged_last_good_is_told_and_not_used(void **state)
{
	static const char *const damaged[] = {"", "{", "[]", "{\"user_data\": 7, \"instance_id\": \"i\"}",
					      "{\"user_data\": \"\"}"};
	struct err err;
	(void)state;

	for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		_cleanup_(seed_free) struct seed kept = {0};

		put("kept", damaged[i]);
		assert_int_equal(last_good_read(below("kept"), &kept, &err), -EINVAL);
		assert_non_null(strstr(err.text, "expected a kept document, found something else"));
	}
}

static void meta_data_may_be_json_and_strange(void **state)
{
	static const struct {
		const char *text, *id, *name, *problems;
	} cases[] = {
		{"", NULL, NULL, ""},
		{"{\"instance-id\": \"i-8\", \"hostname\": \"h\"}", "i-8", "h", ""},
		{"instance-id: 2024-01-01\nlocal-hostname: ~\n", "2024-01-01", "~", ""},
		{"instance-id: a b\n", NULL, NULL,
		 "m:1:14: instance-id: expected one word of at most 128 characters\n"},
		{"- a\n", NULL, NULL, "m:1:1: expected a map (key: value)\n"},
		{"a: b: c\n", NULL, NULL,
		 "m:1:5: found a second \": \" in one value: put the value in quotes, or check the "
		 "indentation\n"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		_cleanup_(meta_data_free) struct meta_data meta = {0};
		_cleanup_(report_free) struct report report = {0};
		_cleanup_(buf_free) struct buf text = {0};

		meta_data_read(cases[i].text, strlen(cases[i].text), &meta, &report);
		report_print(&report, "m", &text);
		assert_string_equal(buf_string(&text), cases[i].problems);
		assert_string_equal(meta.instance_id ? meta.instance_id : "-", cases[i].id ? cases[i].id : "-");
		assert_string_equal(meta.local_hostname ? meta.local_hostname : "-",
				    cases[i].name ? cases[i].name : "-");
	}
}

static void an_instance_id_is_as_long_as_it_may_be(void **state)
{
	char text[200];
	(void)state;

	for (size_t len = 127; len <= 129; len++) {
		_cleanup_(meta_data_free) struct meta_data meta = {0};
		_cleanup_(report_free) struct report report = {0};

		snprintf(text, sizeof text, "instance-id: %0*d\n", (int)len, 7);
		assert_int_equal(meta_data_read(text, strlen(text), &meta, &report), len > 128 ? -EINVAL : 0);
		assert_int_equal(!meta.instance_id, len > 128);
	}
}

static void disks_are_taken_in_one_order(void **state)
{
	struct seed_disk disks[] = {{"sda", "vfat"}, {"vdb", "vfat"}, {"sr0", "iso9660"}, {"vda", "vfat"}};
	(void)state;

	order_disks(disks, 4);
	assert_string_equal(disks[0].name, "vdb");
	assert_string_equal(disks[1].name, "vda");
	assert_string_equal(disks[2].name, "sr0");
	assert_string_equal(disks[3].name, "sda");
	assert_true(may_be_seed("sr0"));
	assert_true(may_be_seed("nvme0n1p1"));
	assert_true(may_be_seed("mmcblk0"));
	assert_true(may_be_seed("loop0"));
	assert_false(may_be_seed("fd0"));
	assert_false(may_be_seed("ram3"));
	assert_false(may_be_seed("dm-0"));
	assert_false(may_be_seed("zram0"));
	assert_true(may_be_seed("fdisk"));
	assert_true(may_be_seed("a-name-of-thirty-one-characters"));
	assert_false(may_be_seed("a-name-of-thirty-two-characters."));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_seed_says_who_the_machine_is_and_what_it_shall_be),
		cmocka_unit_test(a_seed_without_one_of_its_files_says_which),
		cmocka_unit_test(files_that_are_not_used_are_named),
		cmocka_unit_test(errors_of_both_files_are_told),
		cmocka_unit_test(links_and_endless_files_are_not_followed),
		cmocka_unit_test(a_file_beyond_the_bound_is_refused),
		cmocka_unit_test(what_was_applied_is_read_back_through_the_same_checks),
		cmocka_unit_test(a_damaged_last_good_is_told_and_not_used),
		cmocka_unit_test(meta_data_may_be_json_and_strange),
		cmocka_unit_test(an_instance_id_is_as_long_as_it_may_be),
		cmocka_unit_test(disks_are_taken_in_one_order),
	};
	return cmocka_run_group_tests(tests, make, NULL);
}
