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
	      "G=a\"b c\"d\nH=\nnot an assignment\n9=digit\n  I=indented\nJ=\"esc \\\" \\\\ \\$\"\nK=last");
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
	assert_null(value("9"));
	assert_int_equal(program.environment_count, 11);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_read_as_systemd_reads_them),
		cmocka_unit_test(a_later_value_replaces_an_earlier),
		cmocka_unit_test(a_variable_alone_becomes_words),
		cmocka_unit_test(braces_put_a_value_into_a_word),
		cmocka_unit_test(too_much_is_an_error_and_no_overflow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
