/* Every document of tests/data/config/ gives exactly the findings beside it (NAME.errors; good ones have none). */
#include "config/document.h"

#include <glob.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static void read_file(const char *path, struct document *document, int *r)
{
	_cleanup_(buf_free) struct buf bytes = {0};
	struct err err;

	assert_int_equal(file_read(path, 4 << 20, &bytes, &err), 0);
	*r = document_read(buf_string(&bytes), bytes.len, document);
}

static void check_all(const char *pattern, bool valid, bool findings)
{
	glob_t found = {0};

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		_cleanup_(document_free) struct document document = {0};
		_cleanup_(buf_free) struct buf text = {0};
		char golden[300];
		int r;

		read_file(found.gl_pathv[i], &document, &r);
		report_print(&document.report, "user-data", &text);
		if ((r == 0) != valid || (text.len != 0) != findings)
			fail_msg("%s: expected %s%s, found %d: %s", found.gl_pathv[i], valid ? "valid" : "invalid",
				 findings ? " with findings" : "", r, buf_string(&text));
		if (!findings)
			continue;
		snprintf(golden, sizeof golden, "config/%.*s.errors",
			 (int)(strlen(strrchr(found.gl_pathv[i], '/') + 1) - strlen(".yaml")),
			 strrchr(found.gl_pathv[i], '/') + 1);
		assert_golden(golden, buf_string(&text));
	}
	globfree(&found);
}

static void good_documents_are_valid_without_a_word(void **state)
{
	(void)state;
	check_all("tests/data/config/good-*.yaml", true, false);
	check_all("configs/examples/*.yaml", true, false);
}

static void what_changes_nothing_is_a_warning(void **state)
{
	(void)state;
	check_all("tests/data/config/warn-*.yaml", true, true);
}

static void bad_documents_are_refused_with_every_reason(void **state)
{
	(void)state;
	check_all("tests/data/config/bad-*.yaml", false, true);
}

static void values_take_their_type_from_the_schema(void **state)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_free_ char *json = NULL;
	int r;
	(void)state;

	read_file("tests/data/config/good-everything.yaml", &document, &r);
	assert_int_equal(r, 0);
	json = json_dumps(document.values, JSON_INDENT(2));
	assert_golden("config/good-everything.values.json", json);
}

static void a_document_keeps_its_text_behind_the_wrapping(void **state)
{
	static const char *const paths[] = {"tests/data/config/good-gzip-bytes.yaml",
					    "tests/data/config/good-gzip.yaml", "tests/data/config/good-base64.yaml"};
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		_cleanup_(document_free) struct document document = {0};
		int r;

		read_file(paths[i], &document, &r);
		assert_int_equal(r, 0);
		assert_string_equal(buf_string(&document.text), "#cloud-config\nkeelson: {role: single}\n");
	}
}

static void a_secret_is_never_printed(void **state)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_(buf_free) struct buf text = {0};
	static const char secret[] = "#cloud-config\nkeelson:\n  cluster:\n    token: hunter2\n    ca: {key: hunter2}\n"
				     "write_files:\n- {path: /etc/x, content: [hunter2], encoding: hunter3}\n";
	(void)state;

	assert_int_equal(document_read(secret, sizeof secret - 1, &document), -EINVAL);
	report_print(&document.report, "user-data", &text);
	assert_null(strstr(buf_string(&text), "hunter2"));
	assert_non_null(strstr(buf_string(&text), "found 7 characters"));
}

static void findings_of(const char *document, struct buf *findings)
{
	_cleanup_(document_free) struct document read = {0};

	document_read(document, strlen(document), &read);
	report_print(&read.report, "user-data", findings);
}

static void what_is_found_is_printed_without_its_control_characters(void **state)
{
	_cleanup_(buf_free) struct buf text = {0}, cut = {0};
	char key[300] = "#cloud-config\nx";
	(void)state;

	findings_of("#cloud-config\n\"\\e[2Ja\\nb\": 1\nhostname: \"a\\x9b31m\\u202e\"\n", &text);
	assert_string_equal(buf_string(&text),
			    "user-data:2:1: ?[2Ja b: unknown key\n"
			    "user-data:3:11: hostname: expected a name such as cp-1 (lower-case letters, digits, - and "
			    ".), found \"a?31m?\"\n");
	/* a message that ends in the middle of a character would be no JSON, and with it all others would be lost */
	for (int i = 0; i < 100; i++)
		strcat(key, "\xc3\xa4");
	strcat(key, ": 1\n");
	findings_of(key, &cut);
	assert_non_null(strstr(buf_string(&cut), "\xc3\xa4?: unknown key"));
}

static void a_bomb_is_unpacked_once(void **state)
{
	_cleanup_(buf_free) struct buf bytes = {0}, text = {0}, said = {0};
	struct err err;
	(void)state;

	/* 9 MiB of zeros, gzip and base64 */
	assert_int_equal(file_read("tests/data/config/nine-mebibytes.gz.base64", 1 << 20, &bytes, &err), 0);
	buf_addf(&text, "#cloud-config\nwrite_files:\n- {path: /etc/x, encoding: gz+b64, content: &b '%s'}\n",
		 buf_string(&bytes));
	for (int i = 0; i < 400; i++)
		buf_addf(&text, "- {path: /etc/%d, encoding: gz+b64, content: *b}\n", i);
	findings_of(buf_string(&text), &said);
	assert_string_equal(buf_string(&said),
			    "user-data:3:45: write_files[0].content: expected at most 8388608 bytes in "
			    "all files together, found more\n");
}

/* node.json holds the values with every alias written out, and each step reads it with a bound. */
static void aliases_do_not_make_more_than_a_step_reads(void **state)
{
	_cleanup_(buf_free) struct buf text = {0}, said = {0};
	(void)state;

	buf_addf(&text, "#cloud-config\nkeelson:\n  cluster:\n    manifests:\n    - content: &a '%0600000d'\n", 0);
	for (int i = 0; i < 3; i++)
		buf_add_string(&text, "    - content: *a\n");
	findings_of(buf_string(&text), &said);
	assert_string_equal(buf_string(&said),
			    "user-data: expected values of at most 2097152 bytes, aliases counted as "
			    "often as they are used, found 2400099\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_documents_are_valid_without_a_word),
		cmocka_unit_test(what_changes_nothing_is_a_warning),
		cmocka_unit_test(bad_documents_are_refused_with_every_reason),
		cmocka_unit_test(values_take_their_type_from_the_schema),
		cmocka_unit_test(a_document_keeps_its_text_behind_the_wrapping),
		cmocka_unit_test(a_secret_is_never_printed),
		cmocka_unit_test(what_is_found_is_printed_without_its_control_characters),
		cmocka_unit_test(a_bomb_is_unpacked_once),
		cmocka_unit_test(aliases_do_not_make_more_than_a_step_reads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
