#include "api/control_client.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit/test.h"

static char folder[] = "/tmp/control-XXXXXX";

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void without_init_the_error_says_where_to_run_it(void **state)
{
	char path[64], expected[200];
	struct err err = {""};

	(void)state;
	snprintf(path, sizeof path, "%s/control", folder);
	snprintf(expected, sizeof expected,
		 "expected init's socket %s, found none: run it on a Keelson node (README, \"Look into a node\")",
		 path);
	assert_int_equal(control_request(path, "services", 1000, NULL, &err), -ENOENT);
	assert_string_equal(err.text, expected);
}

/* A socket that nobody listens on any more is a node in trouble, not another machine. */
static void an_init_that_does_not_listen_is_told_as_such(void **state)
{
	struct sockaddr_un here = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct err err = {""};
	char expected[200];

	(void)state;
	snprintf(here.sun_path, sizeof here.sun_path, "%s/control", folder);
	assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
	close(fd);
	snprintf(expected, sizeof expected, "ask PID 1 at %s: Connection refused", here.sun_path);
	assert_int_equal(control_request(here.sun_path, "services", 1000, NULL, &err), -ECONNREFUSED);
	assert_string_equal(err.text, expected);
	unlink(here.sun_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_init_the_error_says_where_to_run_it),
		cmocka_unit_test(an_init_that_does_not_listen_is_told_as_such),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
