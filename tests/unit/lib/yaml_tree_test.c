#include "lib/yaml_tree.h"

#include <errno.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "unit/test.h"

static void note(void *arg, unsigned line, unsigned column, const char *text)
{
	buf_addf(arg, "%u:%u: %s\n", line, column, text);
}

static void show(const struct yaml_node *node, struct buf *out)
{
	buf_addf(out, "%u:%u", node->line, node->column);
	if (node->kind == YAML_TEXT) {
		buf_addf(out, node->plain ? " %s" : " \"%s\"", node->text);
		return;
	}
	buf_add_string(out, node->kind == YAML_MAP ? " {" : " [");
	for (size_t i = 0; i < node->count; i++) {
		buf_add_string(out, i ? ", " : "");
		if (node->children[i].key) {
			show(node->children[i].key, out);
			buf_add_string(out, ": ");
		}
		show(node->children[i].value, out);
	}
	buf_add_string(out, node->kind == YAML_MAP ? "}" : "]");
}

static void assert_read(const char *text, size_t len, const char *expected)
{
	_cleanup_(buf_free) struct buf out = {0};
	struct yaml_problems problems = {note, &out};
	struct yaml_tree tree;

	yaml_tree_read(text, len, &problems, &tree);
	if (tree.root)
		show(tree.root, &out);
	yaml_tree_free(&tree);
	assert_string_equal(buf_string(&out), expected);
}

static void every_node_has_its_place(void **state)
{
	static const char text[] = "a: 1\nb:\n  - \"x\"\n  - {c: no}\n";
	(void)state;

	assert_read(text, sizeof text - 1, "1:1 {1:1 a: 1:4 1, 2:1 b: 3:3 [3:5 \"x\", 4:5 {4:6 c: 4:9 no}]}");
}

static void windows_and_tab_happy_editors_are_understood(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"\xef\xbb\xbf#cloud-config\r\na: 1\r\n\r\nb: 2\r\n", "2:1 {2:1 a: 2:4 1, 4:1 b: 4:4 2}"},
		{"a:\n\t\n  b: 1\n", "1:1 {1:1 a: 3:3 {3:3 b: 3:6 1}}"},
		{"a:\n  \t \n  b: 1\n\t\n", "1:1 {1:1 a: 3:3 {3:3 b: 3:6 1}}"},
		{"a:\n\n\t\n  b: 1\n", "1:1 {1:1 a: 4:3 {4:3 b: 4:6 1}}"},
		{"a:\r\t\r  b: 1\r", "1:1 {1:1 a: 3:3 {3:3 b: 3:6 1}}"},
		{"a: 1\n\t", "1:1 {1:1 a: 1:4 1}"},
		{"a: |\n  x\n\t\n  y\n", "1:1 {1:1 a: 1:4 \"x\n\ny\n\"}"},
		{"a: |\r\n  x\r\n  \ty\r\n", "1:1 {1:1 a: 1:4 \"x\n\ty\n\"}"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_read(cases[i].text, strlen(cases[i].text), cases[i].expected);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"a: 1\nb: 2\na: 3\n", "3:1: duplicate key a, first in line 1\n"
				       "1:1 {1:1 a: 1:4 1, 2:1 b: 2:4 2, 3:1 a: 3:4 3}"},
		{"a: x: 1\n",
		 "1:5: found a second \": \" in one value: put the value in quotes, or check the indentation\n"},
		{"a:\n\tb: 1\n", "2:1: found a tab: indent with spaces\n"},
		{"a: \xc3\xa4\nb: @x\n", "2:4: expected a value, found one of @ ` %: put such a value in quotes\n"},
		{"a: \"x\nb: 1\n",
		 "3:1: expected a closing quote, found the end of the text (while scanning a quoted scalar "
		 "that starts in line 1)\n"},
		{"a: 1\n b: 2\n",
		 "2:3: found a second \": \" in one value: put the value in quotes, or check the indentation\n"},
		{"a: [1, 2\nb: 3\n",
		 "2:2: did not find expected ',' or ']' (while parsing a flow sequence that starts in line 1)\n"},
		{"a: b\x07\n", "1:5: expected text, found a control character\n"},
		{"a: 1\rb: \x07", "2:4: expected text, found a control character\n"}, /* a line may end so, too */
		{"a: 1\r\nb: \x07", "2:4: expected text, found a control character\n"},
		{"a: 1\xc2\x85\x07", "2:1: expected text, found a control character\n"},
		{"a: 1\xe2\x80\xa8\x07", "2:1: expected text, found a control character\n"},
		{"a: 1\xe2\x80\xa9\x07", "2:1: expected text, found a control character\n"},
		{"a: \x1f", "1:4: expected text, found a control character\n"},
		{"a: \x7f", "1:4: expected text, found a control character\n"},
		{"a: \xc2\x80", "1:4: expected text, found a control character\n"},
		{"a: \xc2\x9f", "1:4: expected text, found a control character\n"},
		{"a: \xc2\xa0\x07", "1:5: expected text, found a control character\n"},
		{"\xef\xbb\xbf\x07", "1:1: expected text, found a control character\n"},
		{"a\xef\xbb\xbf\x07", "1:3: expected text, found a control character\n"},
		{"a: \xef\xbf\xbe", "1:4: expected text, found a character that Unicode does not have\n"},
		{"a: \xef\xbf\xbf", "1:4: expected text, found a character that Unicode does not have\n"},
		{"a: \x1b[1m\n", "1:4: expected text, found an escape character (ESC)\n"},
		{"a:\nb: \xc3\x28\n", "2:4: expected text, found a byte that is not UTF-8\n"},
		{"a: \"\\0\"\n", "1:4: expected text, found a NUL character in it\n"},
		{"a: 1\n---\nb: 2\n", "2:1: expected one document, found a second one\n"},
		{"[a]: 1\n", "1:1: expected a word as key, found a list\n"},
		{"a: !foo 1\n", "1:4: expected no tag, found !foo\n"},
		{"a: *b\n", "1:4: alias *b: expected an anchor &b before it\n"},
		{"a: &b [*b]\n", "1:8: alias *b lies inside the value it names\n"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_read(cases[i].text, strlen(cases[i].text), cases[i].expected);
	assert_read("a\0b", 3, "1:2: expected text, found a NUL byte\n");
	assert_read("\xff\xfe#\0", 4, "1:1: expected text, found UTF-16 (save the file as UTF-8)\n");
	assert_read("\xfe\xff\0#", 4, "1:1: expected text, found UTF-16 (save the file as UTF-8)\n");
	assert_read("\xfe\xff", 2, "1:1: expected text, found UTF-16 (save the file as UTF-8)\n");
}

static void a_few_lines_never_mean_a_billion_nodes(void **state)
{
	_cleanup_(buf_free) struct buf text = {0};
	(void)state;

	buf_add_string(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 9; i++) {
		buf_addf(&text, "a%d: &a%d [", i, i);
		for (int j = 0; j < 10; j++)
			buf_addf(&text, "%s*a%d", j ? ", " : "", i - 1);
		buf_add_string(&text, "]\n");
	}
	assert_read(text.data, text.len,
		    "5:10: expected at most 20000 values, aliases counted as often as they are used\n");
}

static void depth_and_size_are_bounded(void **state)
{
	_cleanup_(buf_free) struct buf text = {.max = 4 << 20};
	(void)state;

	for (int i = 0; i < 2000; i++)
		buf_add_string(&text, "[");
	assert_read(text.data, text.len, "1:33: expected at most 32 levels\n");
	buf_free(&text);
	for (int i = 0; i < 40; i++)
		buf_addf(&text, i ? "- &a%d [*a%d]\n" : "- &a%d [x]\n", i, i - 1);
	assert_read(text.data, text.len, "31:9: expected at most 32 levels\n");
	buf_free(&text);
	for (int i = 0; i < 30000; i++)
		buf_add_string(&text, "- x\n");
	assert_read(text.data, text.len,
		    "20000:3: expected at most 20000 values, aliases counted as often as they are used\n");
	buf_free(&text);
	while (text.len <= YAML_MAX_BYTES)
		buf_add_string(&text, "# filler filler filler filler filler filler filler filler\n");
	assert_read(text.data, text.len, "1:1: expected at most 1048576 bytes, found 1048582\n");
}

static void nothing_but_comments_is_an_empty_document(void **state)
{
	(void)state;

	assert_read("", 0, "");
	assert_read("# x\n\n", 5, "");
	assert_read("---\n...\n", 8, "2:1 ");
}

static void an_alias_counts_the_text_that_it_repeats(void **state)
{
	_cleanup_(buf_free) struct buf text = {0}, said = {0};
	struct yaml_problems problems = {note, &said};
	struct yaml_tree tree;
	(void)state;

	buf_add_string(&text, "- &a '");
	for (int i = 0; i < 100000; i++)
		buf_add_string(&text, "x");
	buf_add_string(&text, "'\n");
	for (int i = 0; i < 100; i++)
		buf_add_string(&text, "- *a\n");
	assert_int_equal(yaml_tree_read(buf_string(&text), text.len, &problems, &tree), -EINVAL);
	assert_string_equal(buf_string(&said),
			    "84:3: expected at most 8388608 bytes of text, aliases counted as often as "
			    "they are used\n");
	yaml_tree_free(&tree);
}

static void only_a_line_of_tabs_and_blanks_is_emptied(void **state)
{
	static const struct {
		const char *text;
		unsigned line;
		const char *then; /* NULL: it stays */
	} rows[] = {
		{"a\n\t \nb", 2, "a\n  \nb"},
		{"a\r\n\t\r\nb", 2, "a\r\n \r\nb"},
		{"a\r\t\rb", 2, "a\r \rb"},
		{"a\n\n\t", 3, "a\n\n "},
		{"\t", 1, " "},
		{"a\n  \nb", 2, NULL},
		{"a\n\tb\n", 2, NULL},
		{"a\n\t\n", 1, NULL},
		{"a\n\t\n", 3, NULL},
		{"a\n\t\n", 4, NULL},
		{"", 1, NULL},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[16];

		strcpy(text, rows[i].text);
		assert_int_equal(yaml_text_blank_line(text, strlen(text), rows[i].line), rows[i].then != NULL);
		assert_string_equal(text, rows[i].then ? rows[i].then : rows[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_node_has_its_place),
		cmocka_unit_test(windows_and_tab_happy_editors_are_understood),
		cmocka_unit_test(what_is_wrong_is_said_with_its_place),
		cmocka_unit_test(a_few_lines_never_mean_a_billion_nodes),
		cmocka_unit_test(depth_and_size_are_bounded),
		cmocka_unit_test(nothing_but_comments_is_an_empty_document),
		cmocka_unit_test(an_alias_counts_the_text_that_it_repeats),
		cmocka_unit_test(only_a_line_of_tabs_and_blanks_is_emptied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
