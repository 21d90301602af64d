#include <limits.h>

#include "packages/apt.h"
#include "packages/lock.h"
#include "packages/unpack.h"

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
		"http://x/a_1_all.deb a_1_all.deb 10 SHA256:" HASH_A,
		"'http://x/a_1_all.deb' a_1_all.deb 10x SHA256:" HASH_A,
		"'http://x/a_1_all.deb' a_1_all.deb 10 SHA256:" HASH_A "0",
		"'http://x/a_1_all.deb' a_1_all.deb 10 SHA512:" HASH_A,
		"'http://x/a_1_all.deb' a_1_all.deb 10 SHA256:" HASH_A "x",
		"'http://x/a_1_all.deb' a_1.deb 10 SHA256:" HASH_A,
		"'http://x/a_1_all.deb' a_1_all.deb 10 "
		"SHA256:1896A2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619",
		"'http://x/a_1_all.deb' a_1_all.deb 10",
		"'http://x/a_1_all.deb' a_1_all.deb",
		"'http://x/a_1_all.deb'",
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
		"libc6 2.36 " HASH_A "0\n",
		"libc6 2.36 G896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619\n",
		"libc6\n",
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

static void against_an_empty_lock_every_package_is_new_and_the_other_way_round_gone(void **state)
{
	struct package_set some = {0}, none = {0};
	struct buf text = {0};
	(void)state;

	add(&some, "a", "1", HASH_A);
	add(&some, "b", "2", HASH_B);
	assert_int_equal(lock_diff(&none, &some, &text), 2);
	assert_string_equal(buf_string(&text), "new: a 1\nnew: b 2\n");
	buf_free(&text);
	assert_int_equal(lock_diff(&some, &none, &text), 2);
	assert_string_equal(buf_string(&text), "gone: a 1\ngone: b 2\n");
	buf_free(&text);
	assert_int_equal(lock_diff(&none, &none, &text), 0);
	assert_string_equal(buf_string(&text), "");
	package_set_free(&some);
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

/* What is no escape stays as it is, and no version has a percent sign. */
static void an_escaped_version_is_read(void **state)
{
	static const char *const versions[][2] = {{"1%3a2", "1:2"}, {"1%3A2", "1:2"}, {"1%3", NULL},
						  {"1%", NULL},	    {"1%g1", NULL},   {"1%1g", NULL}};
	(void)state;

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
		struct package_set set = {0};
		char line[200];

		snprintf(line, sizeof line, "'http://x' a_%s_all.deb 10 SHA256:" HASH_A, versions[i][0]);
		assert_int_equal(apt_parse_uris(line, &set, NULL), versions[i][1] ? 0 : -EBADMSG);
		if (versions[i][1])
			assert_string_equal(set.items[0].version, versions[i][1]);
		package_set_free(&set);
	}
}

static void a_lock_may_have_comments_and_any_order(void **state)
{
	static const char text[] = "# first\n\n  \t\nb 2 " HASH_B " # the second\na\t1\t" HASH_A;
	struct package_set set = {0};
	(void)state;

	assert_int_equal(lock_parse("x.lock", text, &set, NULL), 0);
	assert_int_equal(set.count, 2);
	assert_string_equal(set.items[0].name, "a");
	assert_string_equal(set.items[1].version, "2");
	assert_string_equal(package_find(&set, "b")->sha256, HASH_B);
	assert_null(package_find(&set, "c"));
	package_set_free(&set);
	assert_int_equal(lock_parse("x.lock", "", &set, NULL), 0);
	assert_int_equal(set.count, 0);
	package_set_sort(&set);
}

/* A field that is as long as it may be, and one byte longer. */
static void line_of(char *line, size_t path, size_t target)
{
	int at = sprintf(line, "l\t755\t1\t2\t3\t4\t");

	memset(line + at, 'p', path);
	line[at + (int)path] = '\t';
	memset(line + at + (int)path + 1, 't', target);
	line[at + (int)path + 1 + (int)target] = 0;
}

static void a_line_of_a_packages_index_is_read_whole_or_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"d",
		"d\t755\t0\t0\t0\t0\t/usr",
		"d\t755\t0\t0\t0\t0\t/usr\t\t",
		"d\t755\t0\t0\t0\t0\t/\t",
		"x\t755\t0\t0\t0\t0\t/usr\t",
		"\t755\t0\t0\t0\t0\t/usr\t",
		"dd\t755\t0\t0\t0\t0\t/usr\t",
		"d\t\t0\t0\t0\t0\t/usr\t",
		"d\t855\t0\t0\t0\t0\t/usr\t",
		"d\t755\tx\t0\t0\t0\t/usr\t",
		"d\t755\t0\t0x\t0\t0\t/usr\t",
		"d\t755\t0\t0\t\t0\t/usr\t",
		"d\t755\t0\t0\t0\t1.5\t/usr\t",
	};
	struct index_entry *entry = malloc(sizeof *entry);
	char line[3 * PATH_MAX];
	(void)state;

	assert_non_null(entry);
	assert_int_equal(index_parse_line("l\t4755\t1\t2\t3\t4\t/a\tb", entry, NULL), 0);
	assert_true(entry->type == 'l' && entry->mode == 04755 && entry->uid == 1 && entry->gid == 2 &&
		    entry->size == 3 && entry->number == 4);
	assert_string_equal(entry->path, "/a");
	assert_string_equal(entry->target, "b");
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (index_parse_line(bad[i], entry, NULL) != -EBADMSG)
			fail_msg("line %zu: expected an error, found none", i);
	line_of(line, PATH_MAX - 1, PATH_MAX - 1);
	assert_int_equal(index_parse_line(line, entry, NULL), 0);
	assert_int_equal(strlen(entry->path), PATH_MAX - 1);
	assert_int_equal(strlen(entry->target), PATH_MAX - 1);
	line_of(line, PATH_MAX, 0);
	assert_int_equal(index_parse_line(line, entry, NULL), -EBADMSG);
	line_of(line, 2, PATH_MAX);
	assert_int_equal(index_parse_line(line, entry, NULL), -EBADMSG);
	free(entry);
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
		cmocka_unit_test(against_an_empty_lock_every_package_is_new_and_the_other_way_round_gone),
		cmocka_unit_test(an_escaped_version_is_read),
		cmocka_unit_test(a_lock_may_have_comments_and_any_order),
		cmocka_unit_test(a_line_of_a_packages_index_is_read_whole_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
