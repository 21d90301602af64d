#include "lib/output_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "unit/test.h"

static void what_is_no_file_is_not_replaced(void **state)
{
	char directory[] = "/tmp/keelson-output-XXXXXX", pipe[64], link[64];
	const char *const places[] = {directory, pipe, link};
	struct stat st;
	(void)state;

	assert_non_null(mkdtemp(directory));
	snprintf(pipe, sizeof pipe, "%s/pipe", directory);
	snprintf(link, sizeof link, "%s/link", directory);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(symlink("/dev/full", link), 0);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
		struct err err = {0};

		assert_int_equal(output_open(&output, places[i], &err), -EINVAL);
		assert_non_null(strstr(err.text, "expected a file or nothing there"));
	}
	assert_int_equal(stat(pipe, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(pipe);
	unlink(link);
	assert_int_equal(rmdir(directory), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_file_is_not_replaced),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
