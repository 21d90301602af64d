/* A directory of its own for tests that write files, and what is left in it afterwards. */
#ifndef KEELSON_TEST_SCRATCH_H
#define KEELSON_TEST_SCRATCH_H

#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <sys/stat.h>

#include "lib/buf.h"
#include "lib/file.h"
#include "lib/process.h"
#include "unit/test.h"

static char scratch[] = "/tmp/keelson-image-XXXXXX";

static inline int scratch_make(void **state)
{
	(void)state;
	return mkdtemp(scratch) ? 0 : -1;
}

static inline int scratch_remove(void **state)
{
	const char *argv[] = {"rm", "-r", scratch, NULL};
	const struct process rm = {.argv = argv};
	(void)state;

	return process_run_ok(&rm, NULL);
}

/* The path of NAME in it; four are kept apart. */
static inline const char *in_scratch(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, PATH_MAX, "%s/%s", scratch, name);
	return path;
}

/* Write a file of len bytes that differ from place to place, the same each time. */
static inline void write_pattern(const char *path, size_t len, uint32_t seed)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525u + 1013904223u;
		fputc((int)(seed >> 24), file);
	}
	assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text)
{
	assert_int_equal(file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
}

static inline void assert_same_file(const char *a, const char *b)
{
	const char *argv[] = {"cmp", a, b, NULL};
	struct buf out = {0};
	const struct process cmp = {.argv = argv, .output = &out};

	if (process_run(&cmp, NULL))
		fail_msg("%s", buf_string(&out));
	buf_free(&out);
}

/* Everything in the directory, its own names excepted, as "name name": what a failed step left behind. */
static inline size_t count_files(void)
{
	DIR *dir = opendir(scratch);
	size_t count = 0;

	assert_non_null(dir);
	for (struct dirent *entry; (entry = readdir(dir));)
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	return count;
}

/* What a program prints; it must end with 0. */
static inline void run_into(const char *const *argv, struct buf *output)
{
	const struct process process = {.argv = argv, .output = output};
	struct err err;

	if (process_run_ok(&process, &err) < 0)
		fail_msg("%s: %s", err.text, buf_string(output));
}

#endif
