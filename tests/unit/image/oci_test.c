#include "oci/docker_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include "digest.h"
#include "oci/images.h"
#include "oci/tree_tar.h"
#include "scratch.h"

#define TIME 1764547200

static struct err err;

static void a_configuration_and_a_manifest_say_what_containerd_reads(void **state)
{
	char *tag_items[] = {(char *)"docker.io/library/busybox:latest", (char *)"docker.io/library/busybox:1.28"};
	char *command_items[] = {(char *)"sh"};
	struct strings tags = {tag_items, 2}, command = {command_items, 1};
	struct container_image image = {.tags = &tags, .command = &command, .time = TIME};
	struct buf text = {0};
	(void)state;

	assert_int_equal(render_image_config(&image, "00ff", &text), 0);
	buf_add_string(&text, "\n");
	assert_int_equal(render_image_manifest(&image, "c.json", "l.tar", &text), 0);
	buf_add_string(&text, "\n");
	assert_golden("image/docker_archive.txt", buf_string(&text));
	buf_free(&text);
}

static void fill(struct tree *tree, bool backwards)
{
	static const char *const paths[] = {"/b", "/a/z", "/a/b", "/a-b"};

	for (int i = 0; i < 4; i++)
		assert_int_equal(tree_add_text(tree, paths[backwards ? 3 - i : i], 0644, paths[i % 2], &err), 0);
	assert_int_equal(tree_add_link(tree, "/link", "a/b", &err), 0);
	assert_int_equal(tree_complete(tree, &err), 0);
}

static void describe_entries(struct archive *archive, struct buf *text)
{
	struct archive_entry *entry;

	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		const char *target = archive_entry_symlink(entry);

		buf_addf(text, "%s %lld:%lld %lld %s%s%s\n", archive_entry_strmode(entry),
			 (long long)archive_entry_uid(entry), (long long)archive_entry_gid(entry),
			 (long long)archive_entry_mtime(entry), archive_entry_pathname(entry), target ? " -> " : "",
			 target ? target : "");
	}
	archive_read_free(archive);
}

static struct archive *open_tar(const char *path)
{
	struct archive *archive = archive_read_new();

	archive_read_support_format_tar(archive);
	assert_int_equal(archive_read_open_filename(archive, path, 10240), ARCHIVE_OK);
	return archive;
}

static void describe_tar(const char *path, struct buf *text)
{
	describe_entries(open_tar(path), text);
}

/* The layer is the archive's one entry that is a tar archive itself. */
static void describe_layer(const char *path, struct buf *text)
{
	static char bytes[65536];
	struct archive *outer = open_tar(path), *layer = archive_read_new();
	struct archive_entry *entry;
	const char *name;
	ssize_t len;

	do {
		assert_int_equal(archive_read_next_header(outer, &entry), ARCHIVE_OK);
		name = archive_entry_pathname(entry);
	} while (strcmp(name + strlen(name) - 4, ".tar"));
	len = archive_read_data(outer, bytes, sizeof bytes);
	assert_in_range(len, 1, sizeof bytes - 1);
	archive_read_support_format_tar(layer);
	assert_int_equal(archive_read_open_memory(layer, bytes, (size_t)len), ARCHIVE_OK);
	describe_entries(layer, text);
	archive_read_free(outer);
}

static void a_tree_becomes_the_same_tar_in_whatever_order_it_was_filled(void **state)
{
	struct tree one = {.verbatim = true}, two = {.verbatim = true};
	struct node_wish owned = {
		.path = "/owned", .type = NODE_FILE, .mode = 0600, .uid = 901, .gid = 902, .bytes = "", .size = 0};
	struct buf text = {0};
	(void)state;

	fill(&one, false);
	assert_int_equal(tree_add(&one, &owned, &err), 0);
	assert_int_equal(tree_tar(&one, TIME, in_scratch("one.tar"), &err), 0);
	describe_tar(in_scratch("one.tar"), &text);
	assert_golden("image/tree_tar.txt", buf_string(&text));
	assert_int_equal(tree_tar(&one, TIME, in_scratch("two.tar"), &err), 0);
	assert_same_file(in_scratch("one.tar"), in_scratch("two.tar"));
	fill(&two, true);
	assert_int_equal(two.count, one.count - 1);
	for (size_t i = 0; i < two.count; i++)
		assert_non_null(tree_find(&one, two.nodes[i]->path));
	buf_free(&text);
	tree_free(&one);
	tree_free(&two);
}

static void make_base(const char *output)
{
	char *tag_items[] = {(char *)"docker.io/keelson/base:latest"};
	struct strings tags = {tag_items, 1};
	struct image_wish wish = {
		.kind = "base", .program = in_scratch("pause"), .tags = &tags, .time = TIME, .output = output};

	if (write_image(&wish, &err) < 0)
		fail_msg("%s", err.text);
}

static void the_base_image_has_the_same_bytes_each_time(void **state)
{
	struct buf text = {0};
	(void)state;

	write_text(in_scratch("pause"), "pause");
	make_base(in_scratch("base.tar"));
	make_base(in_scratch("base-again.tar"));
	assert_same_file(in_scratch("base.tar"), in_scratch("base-again.tar"));
	assert_int_equal(check_image_archive(in_scratch("base.tar"), &err), 0);
	describe_tar(in_scratch("base.tar"), &text);
	buf_add_string(&text, "\nthe layer:\n");
	describe_layer(in_scratch("base.tar"), &text);
	assert_golden("image/base_image.txt", buf_string(&text));
	buf_free(&text);
}

static void another_file_is_no_container_image(void **state)
{
	struct tree tree = {.verbatim = true};
	(void)state;

	write_text(in_scratch("text"), "no tar at all, but long enough to be looked at");
	assert_int_equal(check_image_archive(in_scratch("text"), &err), -EINVAL);
	assert_int_equal(tree_add_text(&tree, "/a", 0644, "", &err), 0);
	assert_int_equal(tree_tar(&tree, TIME, in_scratch("other.tar"), &err), 0);
	assert_int_equal(check_image_archive(in_scratch("other.tar"), &err), -EINVAL);
	assert_int_equal(check_image_archive(in_scratch("none.tar"), &err), -EINVAL);
	tree_free(&tree);
}

static void a_tag_is_what_containerd_takes(void **state)
{
	static const char *const good[] = {"docker.io/library/busybox:1.28",
					   "localhost:5000/a:b",
					   "a/b:c",
					   "Registry.example.org/a_b/c-d:V1.0_x",
					   "a/b:_",
					   "h:1/b:c",
					   "1/2:3"};
	static const char *const bad[] = {
		"",	  "busybox:1", "docker.io/x",	 "docker.io/x:", "docker.io/:x", "../x:1",    "a b/c:d",
		"a//b:c", "a/B:c",     "a/b:c@sha256:0", "a/b:\"",	 "a/b:c\nd/e:f", "/a:b",      "a/b:-c",
		"a/b:.c", "A/b:c",     "a/b-:c",	 "a/-b:c",	 "a/b.c:d:e",	 "a.b_c/d:e", "a/b:c/d"};
	(void)state;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(check_image_tag(good[i], &err), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (check_image_tag(bad[i], &err) != -EINVAL)
			fail_msg("%s: expected to be refused", bad[i]);
}

static void a_tag_is_as_long_as_it_may_be(void **state)
{
	char reference[300];
	(void)state;

	snprintf(reference, sizeof reference, "a/b:%0128d", 1);
	assert_int_equal(check_image_tag(reference, &err), 0);
	snprintf(reference, sizeof reference, "a/b:%0129d", 1);
	assert_int_equal(check_image_tag(reference, &err), -EINVAL);
	snprintf(reference, sizeof reference, "a/%0251d:c", 1);
	assert_int_equal(strlen(reference), 255);
	assert_int_equal(check_image_tag(reference, &err), 0);
	snprintf(reference, sizeof reference, "a/%0252d:c", 1);
	assert_int_equal(check_image_tag(reference, &err), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_configuration_and_a_manifest_say_what_containerd_reads),
		cmocka_unit_test(a_tree_becomes_the_same_tar_in_whatever_order_it_was_filled),
		cmocka_unit_test(the_base_image_has_the_same_bytes_each_time),
		cmocka_unit_test(another_file_is_no_container_image),
		cmocka_unit_test(a_tag_is_what_containerd_takes),
		cmocka_unit_test(a_tag_is_as_long_as_it_may_be),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
