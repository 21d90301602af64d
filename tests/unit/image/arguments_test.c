#include "arguments.h"

#include "progress.h"
#include "unit/test.h"

static void both_forms_of_an_option_and_lists_are_read(void **state)
{
	char *argv[] = {(char *)"build",   (char *)"--profile", (char *)"qemu",	   (char *)"--image=a",
			(char *)"--image", (char *)"b=c",	(char *)"--locked"};
	const char *profile = NULL;
	struct strings images = {0};
	bool locked = false;
	const struct option_row rows[] = {
		{"--profile", "NAME", "", true, &profile, NULL, NULL},
		{"--image", "FILE", "", false, NULL, &images, NULL},
		{"--locked", NULL, "", false, NULL, NULL, &locked},
		{NULL, NULL, NULL, false, NULL, NULL, NULL},
	};
	struct err err = {0};
	(void)state;

	assert_int_equal(arguments_parse(7, argv, rows, &err), 0);
	assert_string_equal(profile, "qemu");
	assert_int_equal(images.count, 2);
	assert_string_equal(images.items[1], "b=c");
	assert_true(locked);
	strings_free(&images);
}

static void a_wrong_option_is_named(void **state)
{
	static const char *const wrong[][2] = {{"--profil", "--profil"},   {"stray", "stray"},
					       {"--profile", "--profile"}, {"--profile=", "--profile"},
					       {"--locked=1", "--locked"}, {"--locked", "--profile"}};
	(void)state;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char *argv[] = {(char *)"build", (char *)(uintptr_t)wrong[i][0]};
		const char *profile = NULL;
		bool locked = false;
		const struct option_row rows[] = {
			{"--profile", "NAME", "", true, &profile, NULL, NULL},
			{"--locked", NULL, "", false, NULL, NULL, &locked},
			{NULL, NULL, NULL, false, NULL, NULL, NULL},
		};
		struct err err = {0};

		assert_int_equal(arguments_parse(2, argv, rows, &err), -EINVAL);
		assert_non_null(strstr(err.text, wrong[i][1]));
	}
}

static void sizes_stand_in_a_table_with_their_bounds(void **state)
{
	const struct size_row rows[] = {
		{"root image", 317194240, UINT64_C(1) << 30}, {"initramfs", 1023, 0}, {"UKI", 1024, 0}};
	struct buf text = {0};
	(void)state;

	assert_int_equal(render_sizes(rows, 3, &text), 0);
	assert_golden("image/sizes.txt", buf_string(&text));
	buf_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_forms_of_an_option_and_lists_are_read),
		cmocka_unit_test(a_wrong_option_is_named),
		cmocka_unit_test(sizes_stand_in_a_table_with_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
