/* containerd's database after a power cut: tests/data/cluster/meta.db is one of containerd 1.6 with one image. */
#include "cluster/bolt_check.h"

#include <sys/stat.h>

#include "cluster/runtime_check.h"
#include "lib/file.h"
#include "lib/process.h"
#include "unit/test.h"

#define PAGE 4096

static struct buf whole = {.max = 1 << 20};
static char root[] = "/tmp/keelson-bolt-XXXXXX";

static int make(void **state)
{
	(void)state;
	return mkdtemp(root) && file_read("tests/data/cluster/meta.db", 1 << 20, &whole, NULL) == 0 ? 0 : -1;
}

static int unmake(void **state)
{
	const char *const argv[] = {"rm", "-rf", root, NULL};
	struct process process = {.argv = argv, .timeout_ms = 10000};
	(void)state;

	buf_free(&whole);
	return process_run(&process, NULL);
}

static char *copy(void)
{
	char *bytes = malloc(whole.len);

	assert_non_null(bytes);
	memcpy(bytes, whole.data, whole.len);
	return bytes;
}

static void a_whole_database_is_good(void **state)
{
	struct err err = {{0}};
	(void)state;

	if (bolt_check(whole.data, whole.len, &err) < 0)
		fail_msg("%s", err.text);
}

static void one_torn_meta_page_is_what_there_are_two_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *bytes = copy();

		memset(bytes + i * PAGE, 0, 64);
		/* Without the newer one the older state is taken; its pages may be in use again, which is told. */
		bolt_check(bytes, whole.len, NULL);
		free(bytes);
	}
}

static void no_meta_page_is_broken(void **state)
{
	struct err err = {{0}};
	char *bytes = copy();
	(void)state;

	memset(bytes, 0, 2 * PAGE);
	assert_int_equal(bolt_check(bytes, whole.len, &err), -EBADMSG);
	assert_string_equal(err.text, "expected a good meta page, found none");
	assert_int_equal(bolt_check("", 0, &err), -EBADMSG);
	free(bytes);
}

static void a_file_cut_short_is_broken(void **state)
{
	struct err err = {{0}};
	(void)state;

	assert_int_equal(bolt_check(whole.data, 3 * PAGE, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "pages, found 3"));
}

static void an_empty_page_that_is_in_use_is_found(void **state)
{
	size_t found = 0;
	(void)state;

	for (size_t page = 2; page < whole.len / PAGE; page++) {
		struct err err = {{0}};
		char *bytes = copy();

		memset(bytes + page * PAGE, 0, PAGE);
		found += bolt_check(bytes, whole.len, &err) == -EBADMSG;
		free(bytes);
	}
	assert_true(found >= 4);
}

/* The list of free pages says how many it holds, in 64 bits where 16 do not suffice: no number is so large that it
 * fits again. */
static void a_list_of_free_pages_longer_than_its_page_is_broken(void **state)
{
	const char *meta = memcmp(whole.data + 16 + 48, whole.data + PAGE + 16 + 48, 1) > 0 ? whole.data + 16
											    : whole.data + PAGE + 16;
	char *bytes = copy();
	uint64_t id;
	(void)state;

	memcpy(&id, meta + 32, sizeof id);
	assert_true(id < whole.len / PAGE);
	memset(bytes + id * PAGE + 10, 0xff, 2); /* count: see the first entry */
	for (unsigned top = 0; top < 256; top += 255) {
		struct err err = {{0}};

		memset(bytes + id * PAGE + 16, 0xff, 8);
		bytes[id * PAGE + 16 + 7] = (char)top;
		assert_int_equal(bolt_check(bytes, whole.len, &err), -EBADMSG);
		assert_non_null(strstr(err.text, "expected the list of free pages"));
	}
	free(bytes);
}

static void no_flipped_byte_does_harm(void **state)
{
	char *bytes = copy();
	unsigned seed = 7;
	(void)state;

	for (int round = 0; round < 20000; round++) {
		size_t at;
		char was;

		seed = seed * 1103515245 + 12345;
		/* Headers and elements, where the numbers are. */
		at = (size_t)(seed >> 8) % whole.len;
		at = at / PAGE * PAGE + at % PAGE % 200;
		was = bytes[at];
		bytes[at] = (char)(seed >> 24);
		bolt_check(bytes, whole.len, NULL);
		bytes[at] = was;
	}
	free(bytes);
}

static void put(const char *name, const void *data, size_t len)
{
	char path[300];

	snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(file_write_atomic(path, data, len, 0600, NULL), 0);
}

static void a_broken_runtime_is_moved_aside_whole(void **state)
{
	static const char meta[] = "c/io.containerd.metadata.v1.bolt/meta.db";
	static const char snapshots[] = "c/io.containerd.snapshotter.v1.overlayfs/metadata.db";
	char directory[100], broken[100];
	struct err err = {{0}};
	char *bytes = copy();
	(void)state;

	snprintf(directory, sizeof directory, "%s/c", root);
	snprintf(broken, sizeof broken, "%s/c.broken", root);
	assert_int_equal(runtime_check(directory, broken, &err), 0);
	put(meta, whole.data, whole.len);
	put(snapshots, whole.data, whole.len);
	assert_int_equal(runtime_check(directory, broken, &err), 0);
	put(snapshots, "", 0);
	assert_int_equal(runtime_check(directory, broken, &err), 1);
	assert_non_null(strstr(err.text, "found only one of them"));
	assert_int_equal(access(directory, F_OK), -1);
	memset(bytes, 0, 2 * PAGE);
	put(meta, bytes, whole.len);
	put(snapshots, whole.data, whole.len);
	assert_int_equal(runtime_check(directory, broken, &err), 1);
	assert_non_null(strstr(err.text, "meta.db: expected a good meta page, found none"));
	assert_int_equal(access(directory, F_OK), -1);
	assert_int_equal(access(broken, F_OK), 0);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_database_is_good),
		cmocka_unit_test(one_torn_meta_page_is_what_there_are_two_for),
		cmocka_unit_test(no_meta_page_is_broken),
		cmocka_unit_test(a_file_cut_short_is_broken),
		cmocka_unit_test(an_empty_page_that_is_in_use_is_found),
		cmocka_unit_test(a_list_of_free_pages_longer_than_its_page_is_broken),
		cmocka_unit_test(no_flipped_byte_does_harm),
		cmocka_unit_test(a_broken_runtime_is_moved_aside_whole),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
