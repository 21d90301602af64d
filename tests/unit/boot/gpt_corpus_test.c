/* Every input that fuzzing found worth keeping, once more. */
#include "fuzz/gpt_fuzz.c"

#include <dirent.h>

#include "lib/buf.h"
#include "lib/file.h"
#include "unit/test.h"

#define CORPUS "tests/fuzz/corpus/gpt"

static void no_input_of_the_corpus_breaks_the_parser(void **state)
{
	DIR *dir = opendir(CORPUS);
	struct dirent *entry;
	int inputs = 0;
	(void)state;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		struct buf input = {0};
		char path[400];
		struct err err;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, CORPUS "/%s", entry->d_name);
		assert_int_equal(file_read(path, 1 << 20, &input, &err), 0);
		LLVMFuzzerTestOneInput((const uint8_t *)buf_string(&input), input.len);
		buf_free(&input);
		inputs++;
	}
	closedir(dir);
	assert_true(inputs > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_input_of_the_corpus_breaks_the_parser),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
