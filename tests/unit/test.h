/* What every unit test includes: cmocka and the headers it wants first, and golden files. */
#ifndef KEELSON_TEST_H
#define KEELSON_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Compare TEXT with the file tests/data/NAME (the tests run at the top of the clone). With GOLDEN=write in the
 * environment the file is written instead, to be read by a person before it is committed. */
static inline void assert_golden(const char *name, const char *text)
{
	char path[512];
	const char *mode = getenv("GOLDEN");
	FILE *file;
	char *expected;
	long size;

	snprintf(path, sizeof path, "tests/data/%s", name);
	if (mode && !strcmp(mode, "write")) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
		return;
	}
	file = fopen(path, "r");
	if (!file)
		fail_msg("expected golden file %s, found none (GOLDEN=write makes it)", path);
	fseek(file, 0, SEEK_END);
	size = ftell(file);
	rewind(file);
	expected = calloc(1, (size_t)size + 1);
	assert_non_null(expected);
	assert_int_equal(fread(expected, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	if (strcmp(expected, text)) {
		char got[600];
		FILE *out;

		snprintf(got, sizeof got, "build/unit/%s", strrchr(path, '/') + 1);
		out = fopen(got, "w");
		if (out) {
			fputs(text, out);
			fclose(out);
		}
		free(expected);
		fail_msg("differs from %s: diff -u %s %s", path, path, got);
	}
	free(expected);
}

#endif
