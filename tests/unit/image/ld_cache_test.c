#include "root/ld_cache.h"

#include <elf.h>

#include "root/parts.h"
#include "scratch.h"

static struct err err;

static void runs_of_digits_in_names_compare_as_numbers(void **state)
{
	static const char *const ascending[] = {"libA.so",  "liba.so",	"liba.so.1", "liba.so.2",   "liba.so.10",
						"liba0.so", "liba2.so", "libb.so",   "libb.so.1.2", "libb.so.1.10"};
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
	assert_int_equal((unsigned char)cache.data[24], 148); /* bytes of strings behind the entries */
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
	struct elf_names names = {.soname = ""};
	Elf64_Ehdr program = {.e_ident = {[EI_CLASS] = ELFCLASS64},
			      .e_machine = EM_X86_64,
			      .e_type = ET_EXEC,
			      .e_phentsize = sizeof(Elf64_Phdr)};
	char soname[SONAME_MAX];
	(void)state;

	assert_int_equal(elf_soname("", 0, soname), -ENOENT);
	assert_int_equal(elf_soname("#!/bin/sh\n", 10, soname), -ENOENT);
	assert_int_equal(elf_soname("\177ELF", 4, soname), -ENOENT);
	memcpy(program.e_ident, ELFMAG, SELFMAG);
	assert_int_equal(elf_soname((const char *)&program, sizeof program, soname), -ENOENT);
	assert_int_equal(elf_read_names(&program, sizeof program, &names), -ENOENT); /* static */
	program.e_phentsize++;
	assert_int_equal(elf_soname((const char *)&program, sizeof program, soname), -EBADMSG);
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

/* The smallest library there is. Its strings are the last of the file, so that every number is one too large at once.
 */
struct small_library {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Dyn dynamic[4];
	char strings[16];
};

#define STRINGS_AT offsetof(struct small_library, strings)

static struct small_library small_library(void)
{
	return (struct small_library){
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64},
			   .e_type = ET_DYN,
			   .e_machine = EM_X86_64,
			   .e_phoff = offsetof(struct small_library, segments),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = 2},
		.segments = {{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(struct small_library)},
			     {.p_type = PT_DYNAMIC,
			      .p_offset = offsetof(struct small_library, dynamic),
			      .p_filesz = 4 * sizeof(Elf64_Dyn)}},
		.dynamic = {{DT_NEEDED, {6}}, {DT_SONAME, {1}}, {DT_STRTAB, {0x1000 + STRINGS_AT}}, {DT_NEEDED, {6}}},
		.strings = "\0libs\0libneeded",
	};
}

/* From memory that ends where the file does (ASan looks). */
static int read_small(const struct small_library *library, size_t len, struct elf_names *names)
{
	char *file = malloc(len);
	int r;

	assert_non_null(file);
	memcpy(file, library, len);
	r = elf_read_names(file, len, names);
	free(file);
	return r;
}

static int read_small_alone(const struct small_library *library)
{
	struct elf_names names = {.soname = ""};
	int r = read_small(library, sizeof *library, &names);

	buf_free(&names.needed);
	return r;
}

static void a_library_may_end_with_its_last_name(void **state)
{
	struct small_library library = small_library();
	struct elf_names names = {.soname = ""};
	char soname[SONAME_MAX];
	(void)state;

	assert_int_equal(read_small(&library, sizeof library, &names), 0);
	assert_string_equal(names.soname, "libs");
	assert_int_equal(names.needed.len, 2 * sizeof "libneeded");
	assert_string_equal(names.needed.data, "libneeded");
	buf_free(&names.needed);
	assert_int_equal(read_small(&library, sizeof library - 1, &names), -EBADMSG);
	buf_free(&names.needed);
	assert_int_equal(read_small(&library, sizeof library.header, &names), -EBADMSG);
	assert_int_equal(elf_soname(&library, sizeof library, soname), 0);
	assert_string_equal(soname, "libs");
	library.dynamic[1].d_tag = DT_NULL;
	assert_int_equal(elf_soname(&library, sizeof library, soname), -EBADMSG); /* names behind the end count not */
	library.dynamic[0].d_tag = DT_NULL;
	assert_int_equal(elf_soname(&library, sizeof library, soname), -ENOENT); /* a program has no name */
}

static void numbers_that_lead_out_of_a_library_are_an_error(void **state)
{
	const struct small_library good = small_library();
	struct small_library bad[10];
	size_t n = 0;
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		bad[i] = good;
	bad[n++].header.e_phoff = sizeof good + 1;
	bad[n++].header.e_phoff = sizeof good;
	bad[n++].segments[1].p_offset = sizeof good + 1;
	bad[n++].segments[1].p_filesz = sizeof good;
	bad[n++].segments[0].p_offset = sizeof good + 1;
	bad[n++].segments[0].p_filesz = STRINGS_AT;	    /* the strings lie behind what is loaded */
	bad[n++].segments[0].p_vaddr = 0x1001 + STRINGS_AT; /* and before it */
	bad[n++].dynamic[0].d_un.d_val = sizeof good.strings;
	bad[n++].dynamic[0].d_un.d_val = 0; /* an empty name */
	bad[n++].segments[0].p_type = PT_NOTE;
	assert_int_equal(n, sizeof bad / sizeof *bad);
	for (size_t i = 0; i < n; i++)
		if (read_small_alone(&bad[i]) != -EBADMSG)
			fail_msg("change %zu: expected an error, found none", i);
	bad[0] = good;
	bad[0].segments[0].p_filesz = STRINGS_AT + 1;
	assert_int_equal(read_small_alone(&bad[0]), 0);
	bad[0].segments[0].p_vaddr = 0x1000 + STRINGS_AT;
	bad[0].segments[0].p_offset = STRINGS_AT;
	assert_int_equal(read_small_alone(&bad[0]), 0);
}

static void only_what_this_machine_runs_has_names(void **state)
{
	struct small_library library = small_library();
	(void)state;

	library.header.e_machine = EM_AARCH64;
	assert_int_equal(read_small_alone(&library), -ENOENT);
	library = small_library();
	library.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(read_small_alone(&library), -ENOENT);
	library = small_library();
	library.header.e_type = ET_REL;
	assert_int_equal(read_small_alone(&library), -ENOENT);
	library.header.e_type = ET_EXEC;
	assert_int_equal(read_small_alone(&library), 0);
}

static void a_name_of_256_bytes_is_too_long(void **state)
{
	struct {
		struct small_library library;
		char more[SONAME_MAX];
	} file = {small_library(), ""};
	struct elf_names names = {.soname = ""};
	(void)state;

	file.library.segments[0].p_filesz = sizeof file;
	file.library.dynamic[0].d_tag = DT_SONAME;
	file.library.dynamic[0].d_un.d_val = sizeof file.library.strings;
	memset(file.more, 'x', SONAME_MAX - 1);
	assert_int_equal(elf_read_names(&file, sizeof file, &names), 0);
	buf_free(&names.needed);
	file.more[SONAME_MAX - 1] = 'x';
	assert_int_equal(elf_read_names(&file, sizeof file, &names), -EBADMSG);
	buf_free(&names.needed);
}

static void the_names_of_a_library_may_be_its_end(void **state)
{
	struct small_library library = small_library();
	const size_t end = offsetof(struct small_library, strings);
	(void)state;

	/* the dynamic section, or a segment of no bytes, ends where the file does */
	library.dynamic[0].d_tag = library.dynamic[1].d_tag = library.dynamic[3].d_tag = DT_DEBUG;
	assert_int_equal(read_small(&library, end, &(struct elf_names){.soname = ""}), 0);
	assert_int_equal(read_small(&library, end - 1, &(struct elf_names){.soname = ""}), -EBADMSG);
	library.segments[1].p_offset = sizeof library;
	library.segments[1].p_filesz = 0;
	assert_int_equal(read_small_alone(&library), 0);
}

static void a_segment_behind_the_last_is_not_there(void **state)
{
	struct small_library library = small_library();
	Elf64_Phdr first = library.segments[0];
	(void)state;

	library.segments[0] = library.segments[1];
	library.segments[1] = first;
	assert_int_equal(read_small_alone(&library), 0);
	library.header.e_phnum = 1;
	assert_int_equal(read_small_alone(&library), -EBADMSG);
}

static void a_segment_may_say_more_than_the_file_has(void **state)
{
	struct small_library library = small_library();
	(void)state;

	library.segments[0].p_filesz = 0x10000;
	library.dynamic[2].d_un.d_ptr = 0x1000 + sizeof library + 1;
	assert_int_equal(read_small_alone(&library), -EBADMSG);
	library.dynamic[2].d_un.d_ptr--;
	assert_int_equal(read_small_alone(&library), -EBADMSG);
}

static void what_begins_otherwise_is_no_elf_file(void **state)
{
	(void)state;
	for (size_t i = 0; i < SELFMAG; i++) {
		struct small_library library = small_library();

		library.header.e_ident[i] ^= 1;
		assert_int_equal(read_small_alone(&library), -ENOENT);
	}
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
		cmocka_unit_test(a_library_may_end_with_its_last_name),
		cmocka_unit_test(numbers_that_lead_out_of_a_library_are_an_error),
		cmocka_unit_test(only_what_this_machine_runs_has_names),
		cmocka_unit_test(a_name_of_256_bytes_is_too_long),
		cmocka_unit_test(the_names_of_a_library_may_be_its_end),
		cmocka_unit_test(a_segment_behind_the_last_is_not_there),
		cmocka_unit_test(a_segment_may_say_more_than_the_file_has),
		cmocka_unit_test(what_begins_otherwise_is_no_elf_file),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
