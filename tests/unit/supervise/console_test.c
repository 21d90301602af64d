/* What services print, on the console: lines are kept, and nothing that a terminal would obey. */
#include <sys/mman.h>

#include "supervise/node.h"
#include "unit/test.h"

static struct node node;

static void check_len(const char *text, size_t len, const char *shown)
{
	char got[600] = "";
	const char *said;
	ssize_t size;

	node.console_count = 1;
	node.consoles[0] = (struct console){.fd = memfd_create("console", MFD_CLOEXEC)};
	assert_true(node.consoles[0].fd >= 0);
	console_line(&node, "web", text, len);
	size = pread(node.consoles[0].fd, got, sizeof got - 1, 0);
	close(node.consoles[0].fd);
	assert_true(size > 0 && got[size - 1] == '\n');
	got[size - 1] = 0;
	said = strstr(got, "] web         ");
	assert_non_null(said);
	assert_string_equal(said + 14, shown);
}

static void check(const char *text, const char *shown)
{
	check_len(text, strlen(text), shown);
}

static void text_of_every_script_is_shown(void **state)
{
	(void)state;
	check("ready (1.3 s)", "ready (1.3 s)");
	check("Straße … 漢字 😀", "Straße … 漢字 😀");
	check("a\tb", "a b");
}

/* ESC, and CSI and OSC in the one-byte forms that terminals know as well, in UTF-8 and alone. */
static void no_control_character_reaches_a_console(void **state)
{
	(void)state;
	check("\x1b[2Jx\x7f", "?[2Jx?");
	check("\xc2\x9b"
	      "2Jx",
	      "?2Jx");
	check("\x9b"
	      "2Jx",
	      "?2Jx");
	check("\xc2\x9d"
	      "0;title\xc2\x9c",
	      "?0;title?");
	check("a\xe2\x80\xae"
	      "b",
	      "a?b");
	check("cut \xe2\x82", "cut ??");
}

static void a_long_line_is_cut_and_still_text(void **state)
{
	char text[1000];
	size_t len = 0;
	(void)state;

	while (len < 900)
		len += (size_t)snprintf(text + len, sizeof text - len, "…");
	node.console_count = 1;
	node.consoles[0] = (struct console){.fd = memfd_create("console", MFD_CLOEXEC)};
	console_line(&node, "web", text, len);
	len = (size_t)pread(node.consoles[0].fd, text, sizeof text, 0);
	close(node.consoles[0].fd);
	assert_true(len <= 512 && text[len - 1] == '\n');
	assert_true(text[len - 2] == '?' || !memcmp(text + len - 4, "…", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_every_script_is_shown),
		cmocka_unit_test(no_control_character_reaches_a_console),
		cmocka_unit_test(a_long_line_is_cut_and_still_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
