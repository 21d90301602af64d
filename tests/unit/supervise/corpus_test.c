/* The fuzzers' corpora, replayed: whatever once reached a new line of a parser stays harmless. */
#include <glob.h>

#define LLVMFuzzerTestOneInput service_file_input
#include "fuzz/service_file_fuzz.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput service_table_input
#include "fuzz/service_table_fuzz.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput supervise_input
#include "fuzz/supervise_fuzz.c"

#include "lib/file.h"
#include "unit/test.h"

static void replay(const char *pattern, size_t at_least, int (*input)(const uint8_t *data, size_t len))
{
	glob_t found;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= at_least);
	for (size_t k = 0; k < found.gl_pathc; k++) {
		struct buf buf = {0};

		assert_int_equal(file_read(found.gl_pathv[k], 1 << 20, &buf, NULL), 0);
		input((const uint8_t *)buf.data, buf.len);
		buf_free(&buf);
	}
	globfree(&found);
}

static void service_files_of_the_corpus_are_harmless(void **state)
{
	(void)state;
	replay("configs/services/*.service", 10, service_file_input);
	replay("tests/fuzz/corpus/service_file/*", 50, service_file_input);
}

static void tables_of_the_corpus_are_harmless(void **state)
{
	(void)state;
	replay("tests/fuzz/corpus/service_table/*", 20, service_table_input);
}

static void messages_of_the_corpus_are_harmless(void **state)
{
	(void)state;
	replay("tests/fuzz/corpus/supervise/*", 20, supervise_input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(service_files_of_the_corpus_are_harmless),
		cmocka_unit_test(tables_of_the_corpus_are_harmless),
		cmocka_unit_test(messages_of_the_corpus_are_harmless),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
