#include "lib/yaml_write.h"

#include "lib/cleanup.h"
#include "unit/test.h"

static void assert_written(json_t *tree, const char *expected)
{
	_cleanup_(buf_free) struct buf text = {0};

	assert_non_null(tree);
	assert_int_equal(yaml_write(tree, &text), 0);
	assert_string_equal(buf_string(&text), expected);
	json_decref(tree);
}

static void a_text_is_quoted_where_it_could_mean_something_else(void **state)
{
	static const char *const plain[] = {"a",   "/",	  "/usr/bin:/bin", "--a",  "a-b_c.d/e=f,@$()*+%",
					    "a:b", "nul", "Z0:9",	   "yess", "on1"};
	static const char *const quoted[] = {
		"",    "1", "-a", "--", "--1",	"-",   "null", "True", "FALSE", "yes", "No",	"on",
		"Off", "y", "N",  "a:", "a: b", "a b", "a#b",  "{a",   ".a",	"a\t", "a\n\n", "*a"};
	char expected[100];
	(void)state;

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
		snprintf(expected, sizeof expected, "%s\n", plain[i]);
		assert_written(json_string(plain[i]), expected);
	}
	for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
		json_t *string = json_string(quoted[i]);
		_cleanup_free_ char *json = json_dumps(string, JSON_ENCODE_ANY);

		snprintf(expected, sizeof expected, "%s\n", json);
		assert_written(string, expected);
	}
}

static void lines_become_a_block_where_it_says_the_same(void **state)
{
	(void)state;
	assert_written(json_string("a\n"), "|\na\n");
	assert_written(json_pack("{s:s}", "k", "a\n\nb\tc\n"), "k: |\n  a\n\n  b\tc\n");
	assert_written(json_string("\n"), "\"\\n\"\n");
	assert_written(json_string("a\nb"), "\"a\\nb\"\n");
	assert_written(json_string("a\n\n"), "\"a\\n\\n\"\n");
	assert_written(json_string(" a\n"), "\" a\\n\"\n");
	assert_written(json_string("\ta\n"), "\"\\ta\\n\"\n");
	assert_written(json_string("\na\n"), "\"\\na\\n\"\n");
	assert_written(json_string("a\001\n"), "\"a\\u0001\\n\"\n");
	assert_written(json_string("a\037b\n"), "\"a\\u001Fb\\n\"\n");
	assert_written(json_string("a b\n"), "|\na b\n");
	assert_written(json_string("a\rb\n"), "\"a\\rb\\n\"\n");
}

static void maps_and_lists_are_indented_below_each_other(void **state)
{
	(void)state;
	assert_written(json_pack("{s:i, s:b, s:n, s:{}, s:[]}", "a", 1, "b", 1, "c", "d", "e"),
		       "a: 1\nb: true\nc: null\nd: {}\ne: []\n");
	assert_written(json_pack("[i, [i, i], {s:i, s:i}, []]", 1, 2, 3, "a", 4, "b", 5),
		       "- 1\n- - 2\n  - 3\n- a: 4\n  b: 5\n- []\n");
	assert_written(json_pack("{s:{s:i, s:[i, {s:s}]}, s:i}", "a", "b", 1, "c", 2, "d", "x\ny\n", "1", 3),
		       "a:\n  b: 1\n  c:\n  - 2\n  - d: |\n      x\n      y\n\"1\": 3\n");
	assert_written(json_pack("{}"), "{}\n");
	assert_written(json_pack("[]"), "[]\n");
}

static void what_does_not_fit_is_told(void **state)
{
	json_t *trees[] = {json_pack("{s:{s:[i, s, {s:s}]}}", "a", "b", 1, "x\ny\n", "c", "d e"), json_string("a"),
			   json_string("1")};
	(void)state;

	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		_cleanup_(buf_free) struct buf whole = {0};

		assert_int_equal(yaml_write(trees[i], &whole), 0);
		for (size_t max = 1; max <= whole.len; max++) {
			_cleanup_(buf_free) struct buf text = {.max = max};
			int r = yaml_write(trees[i], &text);

			assert_int_equal(r < 0, max < whole.len);
			assert_true(r <= 0);
		}
		json_decref(trees[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_quoted_where_it_could_mean_something_else),
		cmocka_unit_test(lines_become_a_block_where_it_says_the_same),
		cmocka_unit_test(maps_and_lists_are_indented_below_each_other),
		cmocka_unit_test(what_does_not_fit_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
