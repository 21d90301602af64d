#include "supervise/environment.h"

#include "unit/test.h"

static struct program program;

static void fresh(const char *file)
{
	memset(&program, 0, sizeof program);
	assert_int_equal(program_read(&program, file, strlen(file)), 0);
}

static const char *value(const char *name)
{
	return program_get(&program, name, strlen(name));
}

static void files_are_read_as_systemd_reads_them(void **state)
{
	(void)state;
	fresh("# comment\n; comment\n\nA=plain\nB=two words  \nC=\"quoted  blanks \"\nD='single $x "
	      "\\n'\nE=a\\\nb\nF=\"x\ny\"\n"
	      "G=a\"b c\"d\nH=\nnot an assignment\n9=digit\n  I=indented\nJ=\"esc \\\" \\\\ "
	      "\\$\"\nL=\"c:\\dir\"\nM=a\\ \nK=last");
	assert_string_equal(value("A"), "plain");
	assert_string_equal(value("B"), "two words");
	assert_string_equal(value("C"), "quoted  blanks ");
	assert_string_equal(value("D"), "single $x \\n");
	assert_string_equal(value("E"), "ab");
	assert_string_equal(value("F"), "x\ny");
	assert_string_equal(value("G"), "a\"b c\"d");
	assert_string_equal(value("H"), "");
	assert_string_equal(value("I"), "indented");
	assert_string_equal(value("J"), "esc \" \\ $");
	assert_string_equal(value("K"), "last");
	assert_string_equal(value("L"), "c:\\dir");
	assert_string_equal(value("M"), "a ");
	assert_null(value("9"));
	assert_int_equal(program.environment_count, 13);
}

static void a_later_value_replaces_an_earlier(void **state)
{
	(void)state;
	fresh("A=1\nB=2\nA=3\n");
	assert_string_equal(value("A"), "3");
	assert_int_equal(program.environment_count, 2);
}

static void a_variable_alone_becomes_words(void **state)
{
	(void)state;
	fresh("ARGS=--a=1 --b=\"x y\"  'c d'\nEMPTY=\n");
	program_argument(&program, "$ARGS", true);
	program_argument(&program, "$EMPTY", true);
	program_argument(&program, "$MISSING", true);
	assert_int_equal(program.argument_count, 3);
	assert_string_equal(program.arguments[0], "--a=1");
	assert_string_equal(program.arguments[1], "--b=x y");
	assert_string_equal(program.arguments[2], "c d");
}

static void braces_put_a_value_into_a_word(void **state)
{
	(void)state;
	fresh("A=x y\n");
	program_argument(&program, "p${A}q${NONE}", true);
	program_argument(&program, "$$A and $A ${9} ${A", true);
	program_argument(&program, "$A", false);
	assert_string_equal(program.arguments[0], "px yq");
	assert_string_equal(program.arguments[1], "$A and $A ${9} ${A");
	assert_string_equal(program.arguments[2], "$A");
}

static void too_much_is_an_error_and_no_overflow(void **state)
{
	char text[64];
	int r = 0;

	(void)state;
	fresh("");
	for (int k = 0; k < 300 && !r; k++) {
		int len = snprintf(text, sizeof text, "V%d=1", k);

		r = program_set(&program, text, (size_t)len);
	}
	assert_int_equal(r, -E2BIG);
	assert_int_equal(program.environment_count, ENVIRONMENT_MAX);
	for (r = 0; !r;)
		r = program_argument(&program, "word", true);
	assert_int_equal(r, -E2BIG);
	assert_int_equal(program.argument_count, ARGUMENTS_MAX);
}

/* As from a file whose end is the end of its memory (ASan looks). */
static int read_exactly(const char *text)
{
	size_t len = strlen(text);
	char *file = malloc(len ? len : 1);
	int r;

	assert_non_null(file);
	memcpy(file, text, len);
	memset(&program, 0, sizeof program);
	r = program_read(&program, file, len);
	free(file);
	return r;
}

static void a_file_may_end_anywhere(void **state)
{
	static const struct {
		const char *text, *a;
	} rows[] = {
		{"A", NULL},
		{"A=", ""},
		{"  ", NULL},
		{"\t\tA=1", "1"},
		{"A=\\", "\\"},
		{"A=\"x", "x"},
		{"A=\"x\\", "x\\"},
		{"A=x\\\n", "x"},
		{"A=\t x", "x"},
		{"A='x y' z", "x yz"},
		{"A=x\r\n", "x"},
		{"A=x \t\r", "x"},
		{"A='x' ", "x"},
		{"A=' x '", " x "},
		{"A='a'\"b\"", "ab"},
		{"A='a' 'b'", "ab"},
		{"A= \"a\"b\"c", "ab\"c"},
		{"A=a\\\\b", "a\\b"},
		{"A='a\\b'", "a\\b"},
		{"A=\"a\\`b\"", "a`b"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(read_exactly(rows[i].text), 0);
		assert_string_equal(value("A") ? value("A") : "none", rows[i].a ? rows[i].a : "none");
	}
}

static void a_value_is_as_long_as_it_may_be(void **state)
{
	static const char *const units[] = {"x", "\\\\", "\"\\x\""}; /* a byte each, and two */
	static char text[40000];
	(void)state;

	for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
		size_t bytes = u == 2 ? 2 : 1, most = (8192 - 3) / bytes;

		for (size_t more = 0; more < 2; more++) {
			strcpy(text, "A=");
			for (size_t i = 0; i < most + more; i++)
				strcat(text, units[u]);
			memset(&program, 0, sizeof program);
			assert_int_equal(program_read(&program, text, strlen(text)), more ? -E2BIG : 0);
			assert_int_equal(value("A") ? strlen(value("A")) : 0, more ? 0 : most * bytes);
		}
	}
}

static void a_name_is_as_long_as_it_may_be(void **state)
{
	char text[300] = "";
	(void)state;

	memset(text, 'N', 255);
	strcat(text, "=1");
	fresh(text);
	assert_int_equal(program.environment_count, 1);
	memset(text, 'N', 256);
	strcpy(text + 256, "=1\nB=2");
	fresh(text);
	assert_int_equal(program.environment_count, 1); /* and the others are read */
	assert_string_equal(value("B"), "2");
}

static void only_assignments_are_set(void **state)
{
	(void)state;
	fresh("");
	assert_int_equal(program_set(&program, "AB=1", 4), 0);
	assert_int_equal(program_set(&program, "A=2", 3), 0);
	assert_int_equal(program_set(&program, "A=", 1), 0); /* of length 1: no assignment */
	assert_int_equal(program_set(&program, "A+=3", 4), 0);
	assert_int_equal(program_set(&program, "=4", 2), 0);
	assert_string_equal(value("A"), "2");
	assert_string_equal(value("AB"), "1");
	assert_int_equal(program.environment_count, 2);
	assert_int_equal(program_set(&program, "_a9=", 4), 0);
	assert_string_equal(value("_a9"), "");
	assert_int_equal(program.environment_count, 3);
}

static void a_full_environment_can_still_be_changed(void **state)
{
	char text[64];
	(void)state;

	fresh("");
	for (int k = 0; k < ENVIRONMENT_MAX; k++)
		assert_int_equal(program_set(&program, text, (size_t)snprintf(text, sizeof text, "V%d=1", k)), 0);
	assert_int_equal(program_set(&program, "V0=2", 4), 0);
	assert_string_equal(value("V0"), "2");
	assert_int_equal(program_set(&program, "W=2", 3), -E2BIG);
	fresh("");
	program.used = sizeof program.text - 4;
	assert_int_equal(program_set(&program, "W=23", 4), -E2BIG);
	assert_int_equal(program_set(&program, "W=2", 3), 0);
	assert_int_equal(program.used, sizeof program.text);
}

static void words_of_a_variable_are_divided_where_a_shell_would(void **state)
{
	static const struct {
		const char *file;
		unsigned count;
		const char *first;
	} rows[] = {
		{"A=x", 1, "x"},	   {"A=\\ttab", 1, "ttab"},   {"A=\\\"a b\\\" c", 2, "a b"},
		{"A=a\\\\ b", 1, "a b"},   {"A=a'b c'd", 1, "ab cd"}, {"A=a'b\\\\c'", 1, "ab\\c"},
		{"A=a\\\\", 1, "a\\"},	   {"A=''", 0, NULL},	      {"A=\\'\\'", 1, ""},
		{"A=a'b\"c'", 1, "ab\"c"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fresh(rows[i].file);
		assert_int_equal(program_argument(&program, "$A", true), 0);
		assert_int_equal(program.argument_count, rows[i].count);
		if (rows[i].first)
			assert_string_equal(program.arguments[0], rows[i].first);
	}
}

static void arguments_are_as_long_as_they_may_be(void **state)
{
	static char word[16386], escaped[16388] = "$$"; /* one dollar */
	(void)state;

	memset(word, 'x', 16385);
	memset(escaped + 2, 'x', 16384);
	fresh("");
	assert_int_equal(program_argument(&program, escaped, true), -E2BIG);
	escaped[16385] = 0;
	assert_int_equal(program_argument(&program, escaped, true), 0);
	assert_int_equal(strlen(program.arguments[0]), 16384);
	fresh("A=12345678\n");
	memcpy(word + 1 + 16384 - 8, "${A}", 5);
	assert_int_equal(program_argument(&program, word + 1, true), 0);
	assert_int_equal(strlen(program.arguments[0]), 16384);
	assert_int_equal(program_argument(&program, word, true), -E2BIG); /* one byte more before it */
}

static void a_dollar_that_names_nothing_stays(void **state)
{
	static const char *const same[] = {"$", "a$", "$-", "${", "${}", "${A", "$ A", "{A}"};
	(void)state;

	fresh("A=1\n");
	for (unsigned i = 0; i < sizeof same / sizeof *same; i++) {
		assert_int_equal(program_argument(&program, same[i], true), 0);
		assert_string_equal(program.arguments[i], same[i]);
	}
	assert_int_equal(program_argument(&program, "x${A}", true), 0);
	assert_string_equal(program.arguments[program.argument_count - 1], "x1");
	assert_int_equal(program_argument(&program, "$$", true), 0);
	assert_string_equal(program.arguments[program.argument_count - 1], "$");
}

static void a_word_is_shorter_than_its_room(void **state)
{
	static char text[8300];
	(void)state;

	memset(text, 'x', sizeof text - 1);
	memcpy(text, "A=", 2);
	for (size_t len = 8192; len <= 8193; len++) {
		memset(&program, 0, sizeof program);
		assert_int_equal(program_set(&program, text, 2 + len), 0);
		assert_int_equal(program_argument(&program, "$A", true), len == 8192 ? 0 : -E2BIG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_as_systemd_reads_them),
		cmocka_unit_test(a_later_value_replaces_an_earlier),
		cmocka_unit_test(a_variable_alone_becomes_words),
		cmocka_unit_test(braces_put_a_value_into_a_word),
		cmocka_unit_test(too_much_is_an_error_and_no_overflow),
		cmocka_unit_test(a_file_may_end_anywhere),
		cmocka_unit_test(a_value_is_as_long_as_it_may_be),
		cmocka_unit_test(a_name_is_as_long_as_it_may_be),
		cmocka_unit_test(only_assignments_are_set),
		cmocka_unit_test(a_full_environment_can_still_be_changed),
		cmocka_unit_test(words_of_a_variable_are_divided_where_a_shell_would),
		cmocka_unit_test(arguments_are_as_long_as_they_may_be),
		cmocka_unit_test(a_dollar_that_names_nothing_stays),
		cmocka_unit_test(a_word_is_shorter_than_its_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
