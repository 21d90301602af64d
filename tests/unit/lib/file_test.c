#include "lib/file.h"

#include <sys/stat.h>

#include "unit/test.h"

static char directory[] = "/tmp/keelson-file-XXXXXX";

static int make(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static void a_file_is_replaced_whole(void **state)
{
	char path[200];
	struct buf buf = {0};
	struct stat st;
	struct err err;
	(void)state;

	snprintf(path, sizeof path, "%s/a/b/file", directory);
	assert_int_equal(file_write_atomic(path, "one", 3, 0600, &err), 0);
	assert_int_equal(file_write_atomic(path, "second", 6, 0640, &err), 0);
	assert_int_equal(file_read(path, 100, &buf, &err), 0);
	assert_string_equal(buf_string(&buf), "second");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	buf_free(&buf);
}

static void a_file_beyond_the_bound_is_refused(void **state)
{
	struct buf buf = {0};
	struct err err;
	(void)state;

	assert_int_equal(file_read("/dev/zero", 1000, &buf, &err), -EFBIG);
	assert_string_equal(err.text, "/dev/zero: expected at most 1000 bytes, found more");
	buf_free(&buf);
}

static void a_buffer_keeps_its_bound(void **state)
{
	struct buf buf = {.max = 4};
	(void)state;

	assert_int_equal(buf_add(&buf, "abcd", 4), 0);
	assert_int_equal(buf_add(&buf, "e", 1), -EFBIG);
	assert_int_equal(buf_addf(&buf, "%d", 7), -EFBIG);
	assert_string_equal(buf_string(&buf), "abcd");
	buf_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_replaced_whole),
		cmocka_unit_test(a_file_beyond_the_bound_is_refused),
		cmocka_unit_test(a_buffer_keeps_its_bound),
	};
	return cmocka_run_group_tests(tests, make, NULL);
}
