#include "root/ld_cache.h"

#include <elf.h>

#include "root/parts.h"
#include "scratch.h"

static struct err err;

static void runs_of_digits_in_names_compare_as_numbers(void **state)
{
	static const char *const ascending[] = {"libA.so",  "liba.so", "liba.so.1",   "liba.so.2",   "liba.so.10",
						"liba2.so", "libb.so", "libb.so.1.2", "libb.so.1.10"};
	(void)state;

	for (size_t i = 0; i < sizeof ascending / sizeof *ascending; i++)
		for (size_t j = 0; j < sizeof ascending / sizeof *ascending; j++) {
			int order = compare_sonames(ascending[i], ascending[j]);

			assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
		}
}

static void make_cache(struct buf *cache)
{
	struct ld_entry entries[] = {{(char *)"libz.so.1", (char *)"/usr/lib/x86_64-linux-gnu/libz.so.1"},
				     {(char *)"libc.so.6", (char *)"/usr/lib/x86_64-linux-gnu/libc.so.6"},
				     {(char *)"libcrypto.so.3", (char *)"/usr/lib/x86_64-linux-gnu/libcrypto.so.3"}};

	assert_int_equal(render_ld_cache(entries, 3, cache), 0);
}

/* glibc's own reader of the format. */
static void ldconfig_reads_the_cache(void **state)
{
	const char *argv[] = {"/sbin/ldconfig", "-C", in_scratch("ld.so.cache"), "-p", NULL};
	struct buf cache = {0}, said = {0};
	char *line;
	(void)state;

	make_cache(&cache);
	assert_int_equal(file_write_atomic(argv[2], cache.data, cache.len, 0644, &err), 0);
	run_into(argv, &said);
	/* The first line names the file. */
	line = strchr(said.data, '\n') + 1;
	assert_golden("image/ld_cache.txt", line);
	buf_free(&cache);
	buf_free(&said);
}

static void host_library(struct buf *file, size_t *len)
{
	file->max = 64 << 20;
	assert_int_equal(file_read("/lib/x86_64-linux-gnu/libcrypto.so.3", 32 << 20, file, &err), 0);
	*len = file->len;
}

static void a_library_says_its_own_name_and_what_it_needs(void **state)
{
	struct elf_names names = {.soname = ""};
	struct buf file = {0};
	size_t len;
	(void)state;

	host_library(&file, &len);
	assert_int_equal(elf_read_names(file.data, len, &names), 0);
	assert_string_equal(names.soname, "libcrypto.so.3");
	assert_string_equal(names.needed.data, "libc.so.6");
	buf_free(&names.needed);
	buf_free(&file);
}

static void anything_else_is_no_library(void **state)
{
	char soname[SONAME_MAX];
	(void)state;

	assert_int_equal(elf_soname("", 0, soname), -ENOENT);
	assert_int_equal(elf_soname("#!/bin/sh\n", 10, soname), -ENOENT);
	assert_int_equal(elf_soname("\177ELF", 4, soname), -ENOENT);
}

/* A file that was cut anywhere, or has wrong numbers in its header, is never read beyond its end (ASan looks). */
static void a_damaged_library_is_an_error(void **state)
{
	struct buf file = {0};
	size_t len;
	char soname[SONAME_MAX];
	(void)state;

	host_library(&file, &len);
	for (size_t cut = 1; cut < len; cut = cut < 4096 ? cut + 7 : cut * 2) {
		char *part = malloc(cut);

		assert_non_null(part);
		memcpy(part, file.data, cut);
		assert_true(elf_soname(part, cut, soname) < 0);
		free(part);
	}
	for (size_t at = 16; at < 1024; at++) {
		char was = file.data[at];

		file.data[at] = (char)(was ^ 0xff);
		elf_soname(file.data, len, soname);
		file.data[at] = was;
	}
	buf_free(&file);
}

static void the_cache_names_each_library_of_the_tree_once(void **state)
{
	struct tree tree = {0};
	struct node *node;
	(void)state;

	assert_int_equal(tree_add_file(&tree, "/lib/x86_64-linux-gnu/libcrypto.so.3", 0644,
				       "/lib/x86_64-linux-gnu/libcrypto.so.3", &err),
			 0);
	assert_int_equal(tree_add_link(&tree, "/usr/lib/x86_64-linux-gnu/libcrypto.so", "libcrypto.so.3", &err), 0);
	assert_int_equal(tree_add_text(&tree, "/usr/lib/x86_64-linux-gnu/libtext.so.1", 0644, "no library", &err), 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(add_ld_cache(&tree, &err), 0);
	node = tree_find(&tree, "/etc/ld.so.cache");
	assert_non_null(node);
	assert_int_equal(((unsigned char *)node->bytes)[20], 1);
	tree_free(&tree);
}

static void a_missing_library_is_named_with_the_program(void **state)
{
	struct tree tree = {0};
	(void)state;

	assert_int_equal(tree_add_file(&tree, "/usr/lib/x86_64-linux-gnu/libcrypto.so.3", 0644,
				       "/lib/x86_64-linux-gnu/libcrypto.so.3", &err),
			 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(check_libraries(&tree, &err), -ENOENT);
	assert_non_null(strstr(err.text, "libcrypto.so.3 (keelson): expected the library libc.so.6"));
	tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_digits_in_names_compare_as_numbers),
		cmocka_unit_test(ldconfig_reads_the_cache),
		cmocka_unit_test(a_library_says_its_own_name_and_what_it_needs),
		cmocka_unit_test(anything_else_is_no_library),
		cmocka_unit_test(a_damaged_library_is_an_error),
		cmocka_unit_test(the_cache_names_each_library_of_the_tree_once),
		cmocka_unit_test(a_missing_library_is_named_with_the_program),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
