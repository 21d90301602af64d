/* Archives that nobody gave a SHA-256 of. */
#include "packages/check_gzip.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>

#include "digest.h"
#include "lib/cleanup.h"
#include "root/kubernetes.h"
#include "scratch.h"

#define LENGTH 300000

/* An archive of Kubernetes' tests, packed by libarchive; its bytes in `packed`. */
static void make_archive(const char *path, struct buf *packed)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	_cleanup_(buf_free) struct buf content = {0};

	write_pattern(in_scratch("content"), LENGTH, 7);
	assert_int_equal(file_read(in_scratch("content"), LENGTH, &content, NULL), 0);
	archive_write_add_filter_gzip(archive);
	archive_write_set_format_ustar(archive);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	archive_entry_set_pathname(entry, "kubernetes/test/bin/agnhost");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, LENGTH);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, buf_string(&content), LENGTH), LENGTH);
	archive_entry_free(entry);
	assert_int_equal(archive_write_free(archive), ARCHIVE_OK);
	assert_int_equal(file_read(path, 1 << 20, packed, NULL), 0);
}

static int take_agnhost(const char *archive, char directory[PATH_MAX], struct err *err)
{
	static const char *const names[] = {"agnhost"};

	return kubernetes_programs(archive, "kubernetes/test/bin", names, 1, in_scratch("cache"), directory, err);
}

static void put(const char *path, const char *bytes, size_t len)
{
	assert_int_equal(file_write_atomic(path, bytes, len, 0644, NULL), 0);
}

static void a_whole_archive_gives_its_program(void **state)
{
	_cleanup_(buf_free) struct buf packed = {0};
	char directory[PATH_MAX], program[PATH_MAX + 16];
	struct stat st;
	struct err err;
	(void)state;

	make_archive(in_scratch("good.tar.gz"), &packed);
	assert_int_equal(check_gzip(in_scratch("good.tar.gz"), &err), 0);
	assert_int_equal(take_agnhost(in_scratch("good.tar.gz"), directory, &err), 0);
	snprintf(program, sizeof program, "%s/agnhost", directory);
	assert_int_equal(stat(program, &st), 0);
	assert_int_equal(st.st_size, LENGTH);
}

/* Stored and packed bytes alike: the checksum at the end is the only thing that tells of most of them. */
static void a_flipped_bit_or_a_cut_is_refused_and_leaves_no_program(void **state)
{
	_cleanup_(buf_free) struct buf packed = {0};
	char directory[PATH_MAX], program[PATH_MAX + 16];
	struct err err;
	(void)state;

	make_archive(in_scratch("bad.tar.gz"), &packed);
	packed.data[packed.len / 2] ^= 1;
	put(in_scratch("bad.tar.gz"), packed.data, packed.len);
	assert_int_equal(take_agnhost(in_scratch("bad.tar.gz"), directory, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "bad.tar.gz: expected a whole gzip file"));
	snprintf(program, sizeof program, "%s/agnhost", directory);
	assert_int_not_equal(access(program, F_OK), 0);
	packed.data[packed.len / 2] ^= 1;
	for (size_t cut = 1; cut < packed.len; cut *= 3) {
		put(in_scratch("bad.tar.gz"), packed.data, packed.len - cut);
		assert_int_equal(take_agnhost(in_scratch("bad.tar.gz"), directory, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "bad.tar.gz: expected a whole gzip file"));
	}
}

static void what_has_no_end_is_not_read(void **state)
{
	char hash[DIGEST_TEXT];
	struct err err;
	(void)state;

	assert_int_equal(digest_file("/dev/zero", hash, &err), -EINVAL);
	assert_string_equal(err.text, "/dev/zero: expected a file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_archive_gives_its_program),
		cmocka_unit_test(a_flipped_bit_or_a_cut_is_refused_and_leaves_no_program),
		cmocka_unit_test(what_has_no_end_is_not_read),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
