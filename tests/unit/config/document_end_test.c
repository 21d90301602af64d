/* A document is cut short wherever it may be: a message comes, never a crash. */
#include "fuzz/cloud_config_fuzz.c"

#include "lib/file.h"
#include "unit/test.h"

static void a_document_may_end_anywhere(void **state)
{
	_cleanup_(buf_free) struct buf input = {0};
	struct err err;
	(void)state;

	assert_int_equal(file_read("tests/data/config/good-everything.yaml", 1 << 20, &input, &err), 0);
	for (size_t len = 0; len <= input.len; len++) {
		uint8_t *copy = fuzz_copy(input.data, len, 0); /* its end is watched by ASan */

		LLVMFuzzerTestOneInput(copy, len);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_document_may_end_anywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
