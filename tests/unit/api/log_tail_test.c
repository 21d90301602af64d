/* Lines that come into a file, over its rotations. */
#include "api/log_tail.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit/test.h"

static char folder[32], path[64], old[64];

static int make_place(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/tail-XXXXXX");
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/x.log", folder);
	snprintf(old, sizeof old, "%s/x.log.1", folder);
	return 0;
}

static int remove_place(void **state)
{
	(void)state;
	unlink(path);
	unlink(old);
	return rmdir(folder);
}

static void write_text(const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void what_comes_after_the_start_is_given_line_by_line(void **state)
{
	struct log_tail tail;
	(void)state;

	write_text("old\n");
	log_tail_open(&tail, path);
	assert_null(log_tail_next(&tail));
	write_text("one\ntwo\n\nthr");
	assert_string_equal(log_tail_next(&tail), "one");
	assert_string_equal(log_tail_next(&tail), "two");
	assert_string_equal(log_tail_next(&tail), "");
	assert_null(log_tail_next(&tail));
	write_text("ee\n");
	assert_string_equal(log_tail_next(&tail), "three");
	assert_null(log_tail_next(&tail));
	log_tail_close(&tail);
}

static void a_file_that_comes_later_is_read_from_its_start(void **state)
{
	struct log_tail tail;
	(void)state;

	log_tail_open(&tail, path);
	assert_null(log_tail_next(&tail));
	write_text("first\n");
	assert_string_equal(log_tail_next(&tail), "first");
	log_tail_close(&tail);
}

static void nothing_is_lost_when_the_file_is_rotated(void **state)
{
	struct log_tail tail;
	(void)state;

	write_text("");
	log_tail_open(&tail, path);
	write_text("before\n");
	assert_int_equal(rename(path, old), 0);
	write_text("after\n");
	assert_string_equal(log_tail_next(&tail), "before");
	assert_string_equal(log_tail_next(&tail), "after");
	assert_null(log_tail_next(&tail));
	assert_int_equal(rename(path, old), 0); /* and no new one yet */
	assert_null(log_tail_next(&tail));
	write_text("again\n");
	assert_string_equal(log_tail_next(&tail), "again");
	log_tail_close(&tail);
}

static void a_line_longer_than_the_room_comes_in_pieces(void **state)
{
	static char line[10001];
	struct log_tail tail;
	size_t got = 0;
	(void)state;

	write_text("");
	log_tail_open(&tail, path);
	memset(line, 'x', sizeof line - 2);
	line[sizeof line - 2] = '\n';
	write_text(line);
	write_text("next\n");
	while (got < sizeof line - 2)
		got += strlen(log_tail_next(&tail));
	assert_int_equal(got, sizeof line - 2);
	assert_string_equal(log_tail_next(&tail), "next");
	log_tail_close(&tail);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_comes_after_the_start_is_given_line_by_line),
		TEST(a_file_that_comes_later_is_read_from_its_start),
		TEST(nothing_is_lost_when_the_file_is_rotated),
		TEST(a_line_longer_than_the_room_comes_in_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
