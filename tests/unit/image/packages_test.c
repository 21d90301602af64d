#include "packages/apt.h"
#include "packages/lock.h"

#include "unit/test.h"

#define HASH_A "1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619"
#define HASH_B "ba4f88f73dbc3ae9055f3c20f4523bfdbaf1ad13ff95e258924f77d20b4fbedf"

static void what_apt_prints_becomes_packages_by_name(void **state)
{
	static const char text[] = "'http://archive.example/pool/l/libc6_2.36-9%2bdeb12u14_amd64.deb' "
				   "libc6_2.36-9+deb12u14_amd64.deb 2759320 "
				   "SHA256:" HASH_B "\n"
				   "'http://archive.example/pool/a/libattr1_2.5.1-4_amd64.deb' "
				   "libattr1_1%3a2.5.1-4_amd64.deb 22164 SHA256:" HASH_A "\n";
	struct package_set set = {0};
	struct err err = {0};
	(void)state;

	assert_int_equal(apt_parse_uris(text, &set, &err), 0);
	assert_int_equal(set.count, 2);
	assert_string_equal(set.items[0].name, "libattr1");
	assert_string_equal(set.items[0].version, "1:2.5.1-4");
	assert_string_equal(set.items[0].file, "libattr1_1%3a2.5.1-4_amd64.deb");
	assert_int_equal(set.items[1].bytes, 2759320);
	assert_string_equal(set.items[1].sha256, HASH_B);
	package_set_free(&set);
}

static void a_weaker_hash_or_a_wrong_line_of_apt_is_refused(void **state)
{
	static const char *const lines[] = {
		"'http://x/a_1_all.deb' a_1_all.deb 10 MD5Sum:8d98f0c882f269aaee8437bcfe89346e",
		"'http://x/a_1_all.deb' a_1_all.deb 10 ",
		"'http://x/a_1_all.deb' a_1_all.deb 0 SHA256:" HASH_A,
		"'http://x/a_1_all.deb' a_1_all.deb ten SHA256:" HASH_A,
		"'http://x/a_1_all.deb' ../a_1_all.deb 10 SHA256:" HASH_A,
		"'http://x/a.deb' a.deb 10 SHA256:" HASH_A,
		"Reading package lists...",
		"'http://x/a.deb' _1_all.deb 10 SHA256:" HASH_A,
		"'http://x/a.deb' a__all.deb 10 SHA256:" HASH_A,
		"'http://x/a.deb' A_1_all.deb 10 SHA256:" HASH_A,
		"'http://x/a.deb' a_1%0a2_all.deb 10 SHA256:" HASH_A, /* a lock file has a line for each */
		"'http://x/a.deb' a_1%20_all.deb 10 SHA256:" HASH_A,
		"'http://x/a.deb' a_1%002_all.deb 10 SHA256:" HASH_A,
		"'http://x/a.deb' aa_1_all.deb -10 SHA256:" HASH_A,
		"'http://x/a.deb' aa_1_all.deb 1 SHA256:" HASH_A "\n'http://y/a.deb' aa_2_all.deb 1 SHA256:" HASH_B,
	};
	(void)state;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct package_set set = {0};
		struct err err = {0};

		assert_int_equal(apt_parse_uris(lines[i], &set, &err), -EBADMSG);
		package_set_free(&set);
	}
}

static void provided_packages_look_installed(void **state)
{
	char *names[] = {(char *)"dpkg", (char *)"perl-base"};
	struct strings provided = {names, 2};
	struct buf text = {0};
	(void)state;

	assert_int_equal(apt_render_status(&provided, &text), 0);
	assert_golden("image/apt_status.txt", buf_string(&text));
	buf_free(&text);
}

static void add(struct package_set *set, const char *name, const char *version, const char *sha256)
{
	struct package package = {.name = (char *)(uintptr_t)name, .version = (char *)(uintptr_t)version};

	memcpy(package.sha256, sha256, DIGEST_TEXT);
	assert_int_equal(package_set_add(set, &package), 0);
}

static void a_lock_file_is_read_as_it_was_written(void **state)
{
	struct package_set set = {0}, again = {0};
	struct buf text = {0};
	struct err err = {0};
	(void)state;

	add(&set, "libattr1", "1:2.5.1-4", HASH_A);
	add(&set, "libc6", "2.36-9+deb12u14", HASH_B);
	assert_int_equal(lock_render(&set, &text), 0);
	assert_int_equal(lock_parse("x.lock", buf_string(&text), &again, &err), 0);
	assert_int_equal(again.count, 2);
	assert_string_equal(again.items[0].version, "1:2.5.1-4");
	assert_string_equal(again.items[1].sha256, HASH_B);
	buf_free(&text);
	package_set_free(&set);
	package_set_free(&again);
}

static void a_wrong_lock_file_names_the_line(void **state)
{
	static const char *const texts[] = {
		"# a comment\nlibc6 2.36\n",
		"libc6 2.36 " HASH_A " more\n",
		"libc6 2.36 " HASH_A "\n\nlibc6 2.37 " HASH_B "\n",
		"libc6 2.36 ABCDEF\n",
	};
	struct buf lines = {0};
	(void)state;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct package_set set = {0};
		struct err err = {0};

		assert_int_equal(lock_parse("x.lock", texts[i], &set, &err), -EINVAL);
		buf_addf(&lines, "%s\n", err.text);
		package_set_free(&set);
	}
	assert_golden("image/lock_errors.txt", buf_string(&lines));
	buf_free(&lines);
}

static void what_moved_since_the_lock_is_said_by_name(void **state)
{
	struct package_set old = {0}, now = {0};
	struct buf text = {0};
	(void)state;

	add(&old, "a", "1", HASH_A);
	add(&old, "b", "1.2", HASH_A);
	add(&old, "c", "1", HASH_A);
	add(&old, "d", "1", HASH_A);
	add(&now, "aa", "7", HASH_A);
	add(&now, "b", "1.3", HASH_B);
	add(&now, "c", "1", HASH_B);
	add(&now, "d", "1", HASH_A);
	add(&now, "e", "1", HASH_A);
	assert_int_equal(lock_diff(&old, &now, &text), 5);
	assert_golden("image/lock_diff.txt", buf_string(&text));
	buf_free(&text);
	assert_int_equal(lock_diff(&now, &now, &text), 0);
	buf_free(&text);
	package_set_free(&old);
	package_set_free(&now);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_apt_prints_becomes_packages_by_name),
		cmocka_unit_test(a_weaker_hash_or_a_wrong_line_of_apt_is_refused),
		cmocka_unit_test(provided_packages_look_installed),
		cmocka_unit_test(a_lock_file_is_read_as_it_was_written),
		cmocka_unit_test(a_wrong_lock_file_names_the_line),
		cmocka_unit_test(what_moved_since_the_lock_is_said_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
