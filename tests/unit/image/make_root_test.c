#include "root/make_root.h"

#include <fcntl.h>

#include "root/stage.h"
#include "scratch.h"

#define TIME 1764547200

static struct err err;

static void fill(struct tree *tree)
{
	static char content[100000];

	memset(content, 'x', sizeof content);
	assert_int_equal(tree_add_directory(tree, "/proc", 0555, &err), 0);
	assert_int_equal(tree_add_bytes(tree, "/usr/lib/a", 0644, content, sizeof content, &err), 0);
	assert_int_equal(tree_add_text(tree, "/usr/bin/b", 0755, "program", &err), 0);
	assert_int_equal(tree_add_link(tree, "/usr/bin/c", "b", &err), 0);
	assert_int_equal(tree_complete(tree, &err), 0);
}

/* Stage the tree with files of that age, and make its image. */
static void make(const struct description *d, const struct tree *tree, const char *name, time_t age)
{
	const struct timespec times[2] = {{age, 5}, {age, 5}};
	char stage[PATH_MAX], path[2 * PATH_MAX], output[PATH_MAX], stamp[DIGEST_TEXT];
	struct root_image image = {d, stage, stamp, TIME, output};

	snprintf(stage, sizeof stage, "%s/%s.stage", scratch, name);
	snprintf(output, sizeof output, "%s/%s.img", scratch, name);
	assert_int_equal(stage_tree(tree, stage, &err), 0);
	for (size_t i = 0; i < tree->count; i++) {
		snprintf(path, sizeof path, "%s%s", stage, tree->nodes[i]->path);
		assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
	}
	assert_int_equal(root_stamp(tree, d, TIME, stamp, &err), 0);
	/* As the Makefile has it: both programs would act on it. */
	setenv("SOURCE_DATE_EPOCH", "1764547200", 1);
	if (make_root(tree, &image, &err) < 0)
		fail_msg("%s", err.text);
}

static void compare(enum root_format format, const char *compression)
{
	struct description d = {
		.root_format = format, .root_compression = (char *)(uintptr_t)compression, .root_cluster = 65536};
	struct tree tree = {0};
	struct stat st;

	fill(&tree);
	make(&d, &tree, "old", TIME - 1000000);
	make(&d, &tree, "new", TIME + 1000000);
	assert_same_file(in_scratch("old.img"), in_scratch("new.img"));
	assert_int_equal(stat(in_scratch("old.img"), &st), 0);
	assert_int_equal(st.st_size % 4096, 0);
	tree_free(&tree);
}

static void an_erofs_root_does_not_depend_on_the_times_of_its_files(void **state)
{
	(void)state;
	compare(ROOT_EROFS, "lz4");
}

static void a_squashfs_root_does_not_depend_on_the_times_of_its_files(void **state)
{
	(void)state;
	compare(ROOT_SQUASHFS, "zstd");
}

static void the_stamp_changes_with_content_mode_and_recipe(void **state)
{
	struct description d = {.root_format = ROOT_EROFS};
	struct tree tree = {0};
	char first[DIGEST_TEXT], other[DIGEST_TEXT];
	(void)state;

	fill(&tree);
	assert_int_equal(root_stamp(&tree, &d, TIME, first, &err), 0);
	assert_int_equal(root_stamp(&tree, &d, TIME, other, &err), 0);
	assert_string_equal(first, other);
	assert_int_equal(root_stamp(&tree, &d, TIME + 1, other, &err), 0);
	assert_string_not_equal(first, other);
	d.root_level = 9;
	assert_int_equal(root_stamp(&tree, &d, TIME, other, &err), 0);
	assert_string_not_equal(first, other);
	d.root_level = 0;
	((char *)tree_find(&tree, "/usr/bin/b")->bytes)[0] = 'P';
	assert_int_equal(root_stamp(&tree, &d, TIME, other, &err), 0);
	assert_string_not_equal(first, other);
	((char *)tree_find(&tree, "/usr/bin/b")->bytes)[0] = 'p';
	tree_find(&tree, "/usr/bin/b")->mode = 0700;
	assert_int_equal(root_stamp(&tree, &d, TIME, other, &err), 0);
	assert_string_not_equal(first, other);
	tree_free(&tree);
}

static void two_kernels_or_none_are_an_error(void **state)
{
	struct tree tree = {0};
	char version[128];
	(void)state;

	assert_int_equal(find_kernel_version(&tree, version, &err), -ENOENT);
	assert_int_equal(tree_add_text(&tree, "/lib/modules/6.1.0-1-amd64/modules.order", 0644, "", &err), 0);
	assert_int_equal(find_kernel_version(&tree, version, &err), 0);
	assert_string_equal(version, "6.1.0-1-amd64");
	assert_int_equal(tree_add_text(&tree, "/lib/modules/6.1.0-1-amd64-x/modules.order", 0644, "", &err), 0);
	assert_int_equal(find_kernel_version(&tree, version, &err), -EEXIST);
	tree_free(&tree);
}

static void a_module_names_what_it_needs(void **state)
{
	static const char elf[] = "\177ELF\0license=GPL\0depends=libcrc32c,nf_tables\0name=nft_fib";
	static const char none[] = "\177ELF\0depends=\0name=x",
			  cut[] = {0, 'd', 'e', 'p', 'e', 'n', 'd', 's', '=', 'a'};
	char *depends;
	(void)state;

	assert_int_equal(module_depends(elf, sizeof elf, &depends), 0);
	assert_string_equal(depends, "libcrc32c,nf_tables");
	free(depends);
	assert_int_equal(module_depends(none, sizeof none, &depends), 0);
	assert_string_equal(depends, "");
	free(depends);
	assert_int_equal(module_depends("text", 4, &depends), 0);
	free(depends);
	assert_int_equal(module_depends(cut, sizeof cut, &depends), -EBADMSG);
}

static void add_module(struct tree *tree, const char *name, const char *depends)
{
	char path[128], source[PATH_MAX], text[128];
	int len = snprintf(text, sizeof text, "x%cdepends=%s", 0, depends) + 1;

	snprintf(path, sizeof path, "/usr/lib/modules/6.1/kernel/%s.ko", name);
	snprintf(source, sizeof source, "%s/%s.ko", scratch, name);
	assert_int_equal(file_write_atomic(source, text, (size_t)len, 0644, &err), 0);
	assert_int_equal(tree_add_file(tree, path, 0644, source, &err), 0);
}

static void a_module_goes_when_what_it_needs_is_gone(void **state)
{
	struct tree tree = {0};
	size_t left, dropped;
	(void)state;

	assert_int_equal(
		tree_add_text(&tree, "/usr/lib/modules/6.1/modules.builtin", 0644, "kernel/lib/crc-t10dif.ko\n", &err),
		0);
	add_module(&tree, "good", "crc_t10dif,also-good");
	add_module(&tree, "also_good", "");
	add_module(&tree, "bad", "snd");
	add_module(&tree, "needs_bad", "bad,good");
	assert_int_equal(drop_modules(&tree, "6.1", &left, &dropped, &err), 0);
	assert_int_equal(dropped, 2);
	assert_int_equal(left, 2);
	assert_non_null(tree_find(&tree, "/usr/lib/modules/6.1/kernel/good.ko"));
	assert_null(tree_find(&tree, "/usr/lib/modules/6.1/kernel/needs_bad.ko"));
	tree_free(&tree);
}

static void a_modules_name_is_as_long_as_it_may_be(void **state)
{
	struct tree tree = {0};
	char name[65], depends[80];
	size_t left, dropped;
	(void)state;

	memset(name, 'n', 63);
	name[63] = 0;
	snprintf(depends, sizeof depends, "%s", name);
	assert_int_equal(tree_add_text(&tree, "/usr/lib/modules/6.1/modules.builtin", 0644,
				       "in.ko\nkernel/.ko\nno module\nlast.ko.xz", &err),
			 0);
	assert_int_equal(tree_add_text(&tree, "/usr/lib/modules/6.1/kernel/readme.txt", 0644, "x", &err), 0);
	add_module(&tree, name, "in,last");
	add_module(&tree, "needs", depends);
	name[63] = 'n';
	name[64] = 0;
	add_module(&tree, name, "nothing"); /* too long to be one: left alone */
	assert_int_equal(drop_modules(&tree, "6.1", &left, &dropped, &err), 0);
	assert_int_equal(dropped, 0);
	assert_int_equal(left, 2);
	assert_non_null(tree_find(&tree, "/usr/lib/modules/6.1/kernel/readme.txt"));
	tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_erofs_root_does_not_depend_on_the_times_of_its_files),
		cmocka_unit_test(a_squashfs_root_does_not_depend_on_the_times_of_its_files),
		cmocka_unit_test(the_stamp_changes_with_content_mode_and_recipe),
		cmocka_unit_test(two_kernels_or_none_are_an_error),
		cmocka_unit_test(a_module_names_what_it_needs),
		cmocka_unit_test(a_module_goes_when_what_it_needs_is_gone),
		cmocka_unit_test(a_modules_name_is_as_long_as_it_may_be),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
