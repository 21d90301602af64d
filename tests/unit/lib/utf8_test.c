#include "lib/utf8.h"

#include "unit/test.h"

static void the_first_and_the_last_character_of_each_length_are_read(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		uint32_t c;
	} good[] = {
		{"\x7f", 1, 0x7f},
		{"\xc2\x80", 2, 0x80},
		{"\xdf\xbf", 2, 0x7ff},
		{"\xe0\xa0\x80", 3, 0x800},
		{"\xed\x9f\xbf", 3, 0xd7ff},
		{"\xee\x80\x80", 3, 0xe000},
		{"\xef\xbf\xbf", 3, 0xffff},
		{"\xf0\x90\x80\x80", 4, 0x10000},
		{"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
	};
	(void)state;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		const unsigned char *bytes = (const unsigned char *)good[i].bytes;
		uint32_t c = 0;

		assert_int_equal(utf8_decode(bytes, good[i].len, &c), good[i].len);
		assert_int_equal(c, good[i].c);
		assert_int_equal(utf8_decode(bytes, good[i].len - 1, &c), 0);
	}
}

static void what_is_no_character_is_not_read(void **state)
{
	static const char *const bad[] = {
		"\x80", /* begins in the middle */
		"\xc2"
		"A", /* ends before its end */
		"\xc3\xc0",
		"\xc1\xbf", /* longer than needed */
		"\xe0\x9f\xbf",
		"\xf0\x8f\xbf\xbf",
		"\xed\xa0\x80", /* surrogates */
		"\xed\xbf\xbf",
		"\xf4\x90\x80\x80", /* beyond Unicode */
		"\xf8\x88\x80\x80\x80",
	};
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		uint32_t c;

		if (utf8_decode((const unsigned char *)bad[i], strlen(bad[i]), &c))
			fail_msg("bad[%zu]: expected no character, found U+%X", i, c);
	}
}

static void what_moves_the_cursor_or_turns_the_text_is_not_printed(void **state)
{
	static const char *const cases[][2] = {
		{"a\tb\nc\rd", "a b c d"},
		{"\x1f \x7e\x7f", "? ~?"},
		{"\xc2\x80\xc2\x9f\xc2\xa0", "??\xc2\xa0"},		    /* C1, and a blank behind it */
		{"\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9", "\xe2\x80\xa7  "}, /* U+2027, line, paragraph */
		{"\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf", "??\xe2\x80\xaf"}, /* U+202A to U+202E turn it */
		{"\xe2\x81\xa5\xe2\x81\xa6\xe2\x81\xa9", "\xe2\x81\xa5??"}, /* U+2066 to U+2069 also */
		{"\xe2\x81\xaa", "\xe2\x81\xaa"},
		{"\xff"
		 "a\xe2\x82",
		 "?a??"},
		{"", ""},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[32];

		snprintf(text, sizeof text, "%s", cases[i][0]);
		utf8_printable(text);
		assert_string_equal(text, cases[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_and_the_last_character_of_each_length_are_read),
		cmocka_unit_test(what_is_no_character_is_not_read),
		cmocka_unit_test(what_moves_the_cursor_or_turns_the_text_is_not_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
