/* The corpus of every fuzz target, replayed: whatever once reached a new line of a parser stays harmless.
 *
 * A unit test of all targets without arguments; with names, of those alone (the measure of coverage does that). Each
 * input is copied to its very size, so that a step beyond its end is seen. Its name is printed first: when it breaks
 * something, it is the last line of the log.
 */
#include <glob.h>
#include <stdbool.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

#define CORPUS "tests/fuzz/corpus/"
#define INPUT_MAX ((size_t)4 << 20)

#define TARGET(name) int fuzz_##name(const uint8_t *data, size_t len);
#include "fuzz_targets.h"
#undef TARGET

static const struct target {
	const char *name;
	int (*run)(const uint8_t *data, size_t len);
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "fuzz_targets.h"
#undef TARGET
};

/* What else a target can be fed with: the real thing. */
static const struct {
	const char *target, *files;
} others[] = {
	{"cloud_config", "tests/data/config/*.yaml"},
	{"description", "configs/images/*.yaml"},
	{"lock", "configs/images/*.lock"},
	{"service_file", "configs/services/*.service"},
};

static void feed(const struct target *target, const char *path)
{
	_cleanup_(buf_free) struct buf input = {0};
	uint8_t *copy;

	fprintf(stderr, "%s %s\n", target->name, path);
	assert_int_equal(file_read(path, INPUT_MAX, &input, NULL), 0);
	copy = malloc(input.len ? input.len : 1);
	assert_non_null(copy);
	if (input.len)
		memcpy(copy, input.data, input.len);
	target->run(copy, input.len);
	free(copy);
}

static void feed_all(const struct target *target, const char *pattern)
{
	glob_t found = {0};

	if (glob(pattern, 0, NULL, &found) != 0)
		fail_msg("expected files %s, found none", pattern);
	for (size_t i = 0; i < found.gl_pathc; i++)
		feed(target, found.gl_pathv[i]);
	globfree(&found);
}

static void its_corpus_is_harmless(void **state)
{
	const struct target *target = *state;
	char pattern[128];

	snprintf(pattern, sizeof pattern, CORPUS "%s/*", target->name);
	feed_all(target, pattern);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].target, target->name))
			feed_all(target, others[i].files);
}

static bool is_asked_for(const char *name, char **names)
{
	for (char **asked = names; *asked; asked++)
		if (!strcmp(*asked, name))
			return true;
	return !*names;
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[sizeof targets / sizeof *targets];
	size_t count = 0;

	(void)argc;
	for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
		if (is_asked_for(targets[i].name, argv + 1))
			tests[count++] = (struct CMUnitTest){.name = targets[i].name,
							     .test_func = its_corpus_is_harmless,
							     .initial_state = (void *)(uintptr_t)&targets[i]};
	return _cmocka_run_group_tests("corpus", tests, count, NULL, NULL);
}
