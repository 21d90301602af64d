/* Every input that fuzzing found worth keeping, once more. */
#include "fuzz/cloud_config_fuzz.c"

#include <glob.h>

#include "lib/file.h"
#include "unit/test.h"

static void replay(const char *pattern, size_t least)
{
	glob_t found = {0};

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_true(found.gl_pathc >= least);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		_cleanup_(buf_free) struct buf input = {0};
		struct err err;

		assert_int_equal(file_read(found.gl_pathv[i], 4 << 20, &input, &err), 0);
		LLVMFuzzerTestOneInput((const uint8_t *)buf_string(&input), input.len);
	}
	globfree(&found);
}

static void no_input_of_the_corpus_breaks_the_reader(void **state)
{
	(void)state;
	replay("tests/fuzz/corpus/cloud_config/*", 50);
	replay("tests/data/config/*.yaml", 30);
}

/* A document is cut short wherever it may be: a message comes, never a crash. */
static void a_document_may_end_anywhere(void **state)
{
	_cleanup_(buf_free) struct buf input = {0};
	struct err err;
	(void)state;

	assert_int_equal(file_read("tests/data/config/good-everything.yaml", 1 << 20, &input, &err), 0);
	for (size_t len = 0; len <= input.len; len++) {
		uint8_t *copy = malloc(len + 1); /* its end is watched by ASan */

		assert_non_null(copy);
		memcpy(copy, input.data, len);
		copy[len] = 0;
		LLVMFuzzerTestOneInput(copy, len);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_input_of_the_corpus_breaks_the_reader),
		cmocka_unit_test(a_document_may_end_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
