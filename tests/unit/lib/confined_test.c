#include "lib/confined.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static int open_file(void *arg, struct err *err)
{
	int *fd = arg;

	*fd = open("tests/data/config/good-smallest.yaml", O_RDONLY | O_CLOEXEC);
	return *fd < 0 ? err_errno(err, "open") : 0;
}

static int read_opened(void *arg, struct buf *answer, struct err *err)
{
	return file_read_fd(*(int *)arg, 1000, answer, err);
}

static int try_to_escape(void *arg, struct buf *answer, struct err *err)
{
	(void)arg;
	(void)err;
	buf_addf(answer, "open %d, ", open("/etc/passwd", O_RDONLY | O_CLOEXEC) < 0 ? errno : 0);
	buf_addf(answer, "socket %d, ", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) < 0 ? errno : 0);
	buf_addf(answer, "kill %d, ", kill(getppid(), 0) < 0 ? errno : 0);
	buf_addf(answer, "setuid %d", setuid(0) < 0 ? errno : 0);
	return 0;
}

static int find_nothing(void *arg, struct buf *answer, struct err *err)
{
	(void)arg;
	(void)answer;
	return err_set(err, ENODATA, "nothing there");
}

static int crash(void *arg, struct buf *answer, struct err *err)
{
	(void)arg;
	(void)answer;
	(void)err;
	signal(SIGSEGV, SIG_DFL);
	syscall(SYS_tgkill, getpid(), getpid(), SIGKILL);
	return 0;
}

static int hang(void *arg, struct buf *answer, struct err *err)
{
	volatile int forever = 1;
	(void)arg;
	(void)answer;
	(void)err;

	while (forever)
		;
	return 0;
}

static int talk(void *arg, struct buf *answer, struct err *err)
{
	(void)arg;
	(void)err;
	answer->max = 4000;
	for (int i = 0; i < 3000; i++)
		buf_add_string(answer, "x");
	return 0;
}

static void what_was_opened_before_can_be_read(void **state)
{
	_cleanup_(buf_free) struct buf answer = {0};
	int fd = -1;
	struct confined confined = {open_file, read_opened, &fd, 5000, 1000};
	struct err err;
	(void)state;

	assert_int_equal(confined_run(&confined, &answer, &err), 0);
	assert_string_equal(buf_string(&answer), "#cloud-config\nkeelson: {role: single}\n");
	assert_int_equal(fd, -1);
}

static void nothing_else_can_be_done(void **state)
{
	_cleanup_(buf_free) struct buf answer = {0};
	struct confined confined = {NULL, try_to_escape, NULL, 5000, 1000};
	struct err err;
	(void)state;

	assert_int_equal(confined_run(&confined, &answer, &err), 0);
	assert_string_equal(buf_string(&answer), "open 1, socket 1, kill 1, setuid 1");
}

static void its_end_is_told_whatever_it_is(void **state)
{
	static const struct {
		int (*work)(void *, struct buf *, struct err *);
		int timeout_ms, result;
		const char *error;
	} cases[] = {
		{find_nothing, 5000, -ENODATA, "nothing there"},
		{crash, 5000, -EPROTO, "the reader was ended by signal 9"},
		{hang, 50, -ETIMEDOUT, "no end after 50 ms, killed"},
		{talk, 5000, -EFBIG, "answer: File too large"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		_cleanup_(buf_free) struct buf answer = {0};
		struct confined confined = {NULL, cases[i].work, NULL, cases[i].timeout_ms, 1000};
		struct err err = {""};

		assert_int_equal(confined_run(&confined, &answer, &err), cases[i].result);
		assert_string_equal(err.text, cases[i].error);
		assert_int_equal(answer.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_opened_before_can_be_read),
		cmocka_unit_test(nothing_else_can_be_done),
		cmocka_unit_test(its_end_is_told_whatever_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
