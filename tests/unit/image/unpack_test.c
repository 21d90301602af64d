#include "packages/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include "root/stage.h"
#include "scratch.h"

#define HASH "1896a2aacf4ad681ff5eacc24a5b0ca4d5d9c9b9c9e4b6de5197bc1e116ea619"

static struct err err;
static const struct package package = {.name = (char *)"made-up", .version = (char *)"1", .sha256 = HASH};

struct member {
	const char *path;
	unsigned type;
	unsigned mode;
	const char *content; /* of a file, or target of a link */
	const char *hardlink;
};

static const struct member good[] = {
	{"./", AE_IFDIR, 0755, NULL, NULL},
	{"./bin/", AE_IFDIR, 0755, NULL, NULL},
	{"./bin/mount", AE_IFREG, 04755, "program", NULL},
	{"./bin/alias", AE_IFREG, 0755, NULL, "./bin/mount"},
	{"./etc/", AE_IFDIR, 0755, NULL, NULL},
	{"./etc/empty", AE_IFREG, 0640, "", NULL},
	{"./usr/share/doc/made-up/copyright", AE_IFREG, 0644, "text", NULL},
	{"./lib/liba.so", AE_IFLNK, 0777, "../bin/mount", NULL},
};

static void write_data(struct archive *archive, const struct member *members, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct archive_entry *entry = archive_entry_new();
		const char *content = members[i].type == AE_IFREG && members[i].content ? members[i].content : "";

		archive_entry_set_pathname(entry, members[i].path);
		archive_entry_set_filetype(entry, members[i].type);
		archive_entry_set_perm(entry, (mode_t)members[i].mode);
		archive_entry_set_size(entry, (la_int64_t)strlen(content));
		if (members[i].type == AE_IFLNK)
			archive_entry_set_symlink(entry, members[i].content);
		if (members[i].hardlink)
			archive_entry_set_hardlink(entry, members[i].hardlink);
		assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
		archive_write_data(archive, content, strlen(content));
		archive_entry_free(entry);
	}
}

static size_t make_data(const struct member *members, size_t count, const char *filter, void *data, size_t room)
{
	struct archive *archive = archive_write_new();
	size_t used = 0;

	archive_write_set_format_gnutar(archive);
	assert_int_equal(archive_write_add_filter_by_name(archive, filter), ARCHIVE_OK);
	assert_int_equal(archive_write_open_memory(archive, data, room, &used), ARCHIVE_OK);
	write_data(archive, members, count);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return used;
}

static void add_member(struct archive *deb, const char *name, const void *data, size_t len)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)len);
	assert_int_equal(archive_write_header(deb, entry), ARCHIVE_OK);
	archive_write_data(deb, data, len);
	archive_entry_free(entry);
}

static void make_deb(const char *path, const struct member *members, size_t count, const char *filter, const char *name)
{
	static char data[1 << 20];
	size_t len = make_data(members, count, filter, data, sizeof data);
	struct archive *deb = archive_write_new();

	archive_write_set_format_ar_svr4(deb);
	assert_int_equal(archive_write_open_filename(deb, path), ARCHIVE_OK);
	add_member(deb, "debian-binary", "2.0\n", 4);
	add_member(deb, name, data, len);
	assert_int_equal(archive_write_close(deb), ARCHIVE_OK);
	archive_write_free(deb);
}

static int unpack(const struct member *members, size_t count, const char *filter, const char *name,
		  char directory[PATH_MAX])
{
	char cache[PATH_MAX], deb[PATH_MAX];

	snprintf(cache, sizeof cache, "%s/cache", scratch);
	snprintf(deb, sizeof deb, "%s/made-up.deb", scratch);
	assert_int_equal(remove_tree(cache, &err), 0);
	make_deb(deb, members, count, filter, name);
	return package_unpack(deb, HASH, cache, directory, &err);
}

static void describe(const struct tree *tree, struct buf *text)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct node *node = tree->nodes[i];

		buf_addf(text, "%c %04o %5llu %s%s%s\n", "dfl"[node->type], node -> mode,
			 (unsigned long long)node -> size, node -> path, node -> target ? " -> " : "",
			 node->target ? node->target : "");
	}
}

static void a_package_of_any_compression_lands_in_the_merged_tree(void **state)
{
	static const char *const filters[][2] = {
		{"xz", "data.tar.xz"}, {"zstd", "data.tar.zst"}, {"gzip", "data.tar.gz"}};
	char *items[] = {(char *)"/usr/share/doc"};
	struct strings drop = {items, 1};
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		struct tree tree = {.drop = &drop};
		struct buf text = {0};
		char directory[PATH_MAX];

		if (unpack(good, sizeof good / sizeof *good, filters[i][0], filters[i][1], directory) < 0)
			fail_msg("%s", err.text);
		assert_int_equal(package_merge(directory, &package, &tree, &err), 0);
		describe(&tree, &text);
		assert_golden("image/unpacked.txt", buf_string(&text));
		buf_free(&text);
		tree_free(&tree);
	}
}

static void a_file_of_a_package_is_found_for_the_builder(void **state)
{
	char directory[PATH_MAX], found[PATH_MAX];
	struct buf text = {0};
	(void)state;

	assert_int_equal(unpack(good, sizeof good / sizeof *good, "xz", "data.tar.xz", directory), 0);
	assert_int_equal(package_file(directory, "/usr/share/doc/made-up/copyright", found, &err), 0);
	assert_int_equal(file_read(found, 100, &text, &err), 0);
	assert_string_equal(text.data, "text");
	assert_int_equal(package_file(directory, "/boot/vmlinuz", found, &err), -ENOENT);
	buf_free(&text);
}

static void what_could_leave_the_tree_is_refused(void **state)
{
	static const struct member bad[] = {
		{"./../etc/passwd", AE_IFREG, 0644, "x", NULL},
		{"./usr/..", AE_IFREG, 0644, "x", NULL},
		{"./a\nb", AE_IFREG, 0644, "x", NULL},
		{"./dev/null", AE_IFCHR, 0666, NULL, NULL},
		{"./a", AE_IFREG, 0644, NULL, "./../../etc/shadow"},
		{"./a", AE_IFREG, 0644, NULL, "./not-there"},
		{"./a", AE_IFLNK, 0777, "b\nf\t755\t0\t0\t1\t0\t/etc/shadow\t", NULL}, /* another line of the index */
		{"./a", AE_IFLNK, 0777, "b\tc", NULL},
		{"./a", AE_IFLNK, 0777, "", NULL},
	};
	char directory[PATH_MAX];
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_int_equal(unpack(&bad[i], 1, "gzip", "data.tar.gz", directory), -EBADMSG);
}

/* What lies in the cache would be shorter than the index says, and every build would say that the cache is damaged. */
static void a_file_with_holes_is_refused(void **state)
{
	struct archive *data = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	char cache[PATH_MAX], deb[PATH_MAX], directory[PATH_MAX], bytes[16384];
	struct archive *outer = archive_write_new();
	size_t used = 0;
	(void)state;

	archive_write_set_format_pax(data);
	archive_write_add_filter_gzip(data);
	assert_int_equal(archive_write_open_memory(data, bytes, sizeof bytes, &used), ARCHIVE_OK);
	archive_entry_set_pathname(entry, "./a");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, 8192);
	archive_entry_sparse_add_entry(entry, 4096, 4);
	assert_int_equal(archive_write_header(data, entry), ARCHIVE_OK);
	archive_write_data(data, (char[8192]){0}, 8192);
	assert_int_equal(archive_write_close(data), ARCHIVE_OK);
	snprintf(deb, sizeof deb, "%s/holes.deb", scratch);
	snprintf(cache, sizeof cache, "%s/holes", scratch);
	archive_write_set_format_ar_svr4(outer);
	assert_int_equal(archive_write_open_filename(outer, deb), ARCHIVE_OK);
	add_member(outer, "data.tar.gz", bytes, used);
	assert_int_equal(archive_write_close(outer), ARCHIVE_OK);
	assert_int_equal(package_unpack(deb, HASH, cache, directory, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "/a: expected 8192 bytes, found 4"));
	archive_entry_free(entry);
	archive_write_free(data);
	archive_write_free(outer);
}

static void a_package_without_data_is_refused(void **state)
{
	char directory[PATH_MAX];
	(void)state;

	assert_int_equal(unpack(good, 1, "gzip", "control.tar.gz", directory), -EBADMSG);
	assert_non_null(strstr(err.text, "expected a member data.tar"));
}

/* A power cut can leave a file of the cache empty although its index was written. */
static void a_cache_that_lost_a_file_is_told(void **state)
{
	struct tree tree = {0};
	char directory[PATH_MAX], path[PATH_MAX + 8];
	(void)state;

	assert_int_equal(unpack(good, sizeof good / sizeof *good, "xz", "data.tar.xz", directory), 0);
	snprintf(path, sizeof path, "%s/0", directory);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(package_merge(directory, &package, &tree, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "/bin/mount: expected 7 bytes"));
	snprintf(path, sizeof path, "%s/index", directory);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(package_merge(directory, &package, &tree, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "expected the package's files, found none: remove"));
	tree_free(&tree);
}

static void a_wrong_index_is_refused(void **state)
{
	static const char *const lines[] = {
		"",
		"f",
		"x\t644\t0\t0\t1\t0\t/a\t",
		"f\t9\t0\t0\t1\t0\t/a\t",
		"f\t644\t0\t0\t1\t\t/a\t",
		"f\t644\t0\t0\t1\t0\t\t",
		"f\t644\t0\t0\t1\t0\t/a",
		"f\t644\t0\t0\t1\t0\t/a\tb\tc",
	};
	struct index_entry entry;
	(void)state;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		assert_int_equal(index_parse_line(lines[i], &entry, &err), -EBADMSG);
	assert_int_equal(index_parse_line("l\t777\t0\t7\t0\t0\t/a\tb c", &entry, &err), 0);
	assert_string_equal(entry.target, "b c");
	assert_int_equal(entry.gid, 7);
}

static void a_staged_tree_has_modes_links_and_contents(void **state)
{
	struct tree tree = {0};
	struct buf text = {0};
	char stage[PATH_MAX], path[PATH_MAX + 32], target[32] = "";
	struct stat st;
	(void)state;

	snprintf(stage, sizeof stage, "%s/stage", scratch);
	assert_int_equal(tree_add_directory(&tree, "/proc", 0555, &err), 0);
	assert_int_equal(tree_add_text(&tree, "/proc/inside", 0600, "text", &err), 0);
	assert_int_equal(tree_add_link(&tree, "/link", "proc/inside", &err), 0);
	/* Twice: what is there is removed, the directory that forbids it too. */
	assert_int_equal(stage_tree(&tree, stage, &err), 0);
	assert_int_equal(stage_tree(&tree, stage, &err), 0);
	snprintf(path, sizeof path, "%s/link", stage);
	assert_int_equal(readlink(path, target, sizeof target - 1), 11);
	assert_int_equal(file_read(path, 100, &text, &err), 0);
	assert_string_equal(text.data, "text");
	snprintf(path, sizeof path, "%s/proc", stage);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0555);
	buf_free(&text);
	tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_package_of_any_compression_lands_in_the_merged_tree),
		cmocka_unit_test(a_file_of_a_package_is_found_for_the_builder),
		cmocka_unit_test(what_could_leave_the_tree_is_refused),
		cmocka_unit_test(a_file_with_holes_is_refused),
		cmocka_unit_test(a_package_without_data_is_refused),
		cmocka_unit_test(a_cache_that_lost_a_file_is_told),
		cmocka_unit_test(a_wrong_index_is_refused),
		cmocka_unit_test(a_staged_tree_has_modes_links_and_contents),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
