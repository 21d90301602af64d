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

/* A database of our own: two meta pages, a list of free pages, and pages that each test fills. */
#define OWN_PAGE 1024
#define OWN_PAGES 8

static unsigned char own[OWN_PAGES * OWN_PAGE + 1]; /* and a byte behind the file */

static void set(unsigned char *at, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static void set_meta(unsigned char *meta, size_t page_size, uint64_t transaction, uint64_t root_page, uint64_t pages,
		     uint64_t freelist)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	set(meta, 0xED0CDAED, 4);
	set(meta + 4, 2, 4);
	set(meta + 8, page_size, 4);
	set(meta + 16, root_page, 8);
	set(meta + 32, freelist, 8);
	set(meta + 40, pages, 8);
	set(meta + 48, transaction, 8);
	for (size_t i = 0; i < 56; i++)
		hash = (hash ^ meta[i]) * UINT64_C(1099511628211);
	set(meta + 56, hash, 8);
}

static void own_meta(size_t page, uint64_t transaction, uint64_t root_page, uint64_t pages)
{
	set_meta(own + page * OWN_PAGE + 16, OWN_PAGE, transaction, root_page, pages, 2);
}

static unsigned char *own_page(size_t page, unsigned kind, unsigned count)
{
	unsigned char *at = own + page * OWN_PAGE;

	set(at, page, 8);
	set(at + 8, kind, 2);
	set(at + 10, count, 2);
	set(at + 12, 0, 4);
	return at;
}

/* Element i of a leaf: key and value lie at `at` in the page. */
static void own_element(size_t page, size_t i, size_t at, const char *key, const void *value, size_t value_len,
			bool bucket)
{
	unsigned char *start = own + page * OWN_PAGE, *element = start + 16 + 16 * i;

	set(element, bucket, 4);
	set(element + 4, (uint64_t)(start + at - element), 4);
	set(element + 8, strlen(key), 4);
	set(element + 12, value_len, 4);
	memcpy(start + at, key, strlen(key));
	memcpy(start + at + strlen(key), value, value_len);
}

/* Element i of a branch, which leads to page `to`. */
static void own_branch(size_t page, size_t i, size_t at, const char *key, uint64_t to)
{
	unsigned char *start = own + page * OWN_PAGE, *element = start + 16 + 16 * i;

	set(element, (uint64_t)(start + at - element), 4);
	set(element + 4, strlen(key), 4);
	set(element + 8, to, 8);
	memcpy(start + at, key, strlen(key));
}

/* Page 3, a branch, leads to the leaves 4 and 5; 4 has two keys, 5 ends with its page. */
static int own_database(void **state)
{
	(void)state;
	memset(own, 0, sizeof own);
	own_meta(0, 7, 3, OWN_PAGES);
	own_meta(1, 6, 2, OWN_PAGES);
	own_page(2, 0x10, 0);
	own_page(3, 0x01, 2);
	own_branch(3, 0, 500, "a", 4);
	own_branch(3, 1, OWN_PAGE - 1, "c", 5);
	own_page(4, 0x02, 2);
	own_element(4, 0, 500, "a", "one", 3, false);
	own_element(4, 1, 600, "ab", "two", 3, false);
	own_page(5, 0x02, 1);
	own_element(5, 0, OWN_PAGE - 4, "c", "end", 3, false);
	return 0;
}

static void expect_own(const char *reason)
{
	struct err err = {{0}};
	int r = bolt_check(own, sizeof own - 1, &err);

	assert_string_equal(r ? err.text : "", reason);
	assert_int_equal(r, *reason ? -EBADMSG : 0);
}

static void a_tree_of_branches_and_leaves_is_good(void **state)
{
	(void)state;
	expect_own("");
	own_page(5, 0x02, 0); /* a leaf may be empty */
	expect_own("");
}

static void the_newer_of_two_good_meta_pages_counts(void **state)
{
	(void)state;
	own_meta(1, 7, 2, OWN_PAGES); /* equally old: the first */
	expect_own("");
	own_meta(1, 8, 2, OWN_PAGES);
	expect_own("page 2 is used twice");
	own[OWN_PAGE + 16 + 56] ^= 1;
	expect_own("");
	own[16 + 4] = 3;
	expect_own("expected a good meta page, found none");
}

static void as_many_pages_as_there_are_may_be_in_use(void **state)
{
	(void)state;
	own_meta(0, 7, 3, OWN_PAGES + 1);
	expect_own("expected 9 pages, found 8");
	own_meta(0, 7, 3, 1);
	expect_own("expected 1 pages, found 8");
	own_meta(0, 7, 3, 6);
	expect_own("");
	own_meta(0, 7, 3, 5);
	expect_own("page 3: page 5 lies outside");
	own_meta(0, 7, 1, 6);
	expect_own("page 1 lies outside");
}

static void a_page_over_several_pages_is_one(void **state)
{
	(void)state;
	set(own + 5 * OWN_PAGE + 12, 2, 4); /* up to the last */
	own_element(5, 0, 3 * OWN_PAGE - 4, "c", "end", 3, false);
	expect_own("");
	own_element(5, 0, 3 * OWN_PAGE - 4, "c", "end", 4, false);
	expect_own("page 3: page 5: element 0 of a leaf lies outside its page");
	set(own + 5 * OWN_PAGE + 12, 3, 4);
	expect_own("page 3: page 5 runs over the end");
}

static void keys_out_of_order_are_found(void **state)
{
	(void)state;
	own_element(4, 1, 600, "a", "two", 3, false); /* twice the same */
	expect_own("page 3: page 4: element 1 of a leaf is out of order");
	own_element(4, 0, 500, "ab", "one", 3, false); /* the shorter comes first */
	expect_own("page 3: page 4: element 1 of a leaf is out of order");
	own_element(4, 0, 500, "b", "one", 3, false);
	expect_own("page 3: page 4: element 1 of a leaf is out of order");
}

static void more_elements_than_a_page_holds_are_found(void **state)
{
	(void)state;
	own_page(5, 0x02, 64);
	expect_own("page 3: page 5: a leaf of 64 elements at depth 1");
	own_page(5, 0x02, 1);
	own_page(3, 0x01, 64);
	expect_own("page 3: a branch of 64 elements");
	own_page(3, 0x01, 0);
	expect_own("page 3: a branch of 0 elements");
	own_page(3, 0x01, 2);
	own_branch(3, 1, OWN_PAGE - 1, "c", 5);
	own[3 * OWN_PAGE + 16 + 16 + 4] = 2; /* the key is one byte longer than the page */
	expect_own("page 3: element 1 of a branch lies outside its page");
}

static void as_many_elements_as_a_page_holds_are_good(void **state)
{
	(void)state;
	own_page(5, 0x02, 63);
	for (size_t i = 0; i < 63; i++) {
		own_element(5, i, OWN_PAGE - 1, "x", "", 0, false);
		set(own + 5 * OWN_PAGE + 16 + 16 * i + 8, 0, 4); /* without a key: out of order, but inside */
	}
	expect_own("page 3: page 5: element 1 of a leaf is out of order");
	own_page(3, 0x01, 63);
	expect_own("page 3: page 5: element 1 of a leaf is out of order");
}

static void a_page_of_another_kind_is_found(void **state)
{
	(void)state;
	own_page(5, 0x04, 1);
	expect_own("page 3: page 5: expected a leaf or a branch, found kind 4");
	own_page(5, 0x02, 1);
	own[5 * OWN_PAGE] = 6;
	expect_own("page 3: page 5: expected its number, found 6");
}

static void buckets_are_looked_into(void **state)
{
	unsigned char value[48] = {0};
	(void)state;

	set(value, 6, 8); /* its tree begins at page 6 */
	own_element(4, 0, 500, "a", value, 16, true);
	own_page(6, 0x02, 0);
	expect_own("");
	own_element(4, 0, 500, "a", value, 15, true);
	expect_own("page 3: page 4: a bucket of 15 bytes");
	own_element(4, 0, 500, "a", value, 16, true);
	own_page(6, 0x10, 0);
	expect_own("page 3: page 4: page 6: expected a leaf or a branch, found kind 16");
	set(value, 0, 8); /* inline */
	set(value + 16 + 8, 2, 2);
	own_element(4, 0, 500, "a", value, 31, true);
	expect_own("page 3: page 4: an inline bucket of 31 bytes");
	own_element(4, 0, 500, "a", value, 32, true);
	expect_own("");
	set(value + 16 + 10, 1, 2);
	own_element(4, 0, 500, "a", value, 32, true);
	expect_own("page 3: page 4: a leaf of 1 elements at depth 2");
	set(value + 32 + 4, 16, 4);
	own_element(4, 0, 500, "a", value, 48, true);
	expect_own("");
	set(value + 16 + 8, 1, 2);
	own_element(4, 0, 500, "a", value, 48, true);
	expect_own("page 3: page 4: an inline bucket of kind 1");
}

static void a_tree_that_never_ends_is_not_followed(void **state)
{
	static unsigned char deep[64 * OWN_PAGE];
	struct err err = {{0}};
	(void)state;

	memcpy(deep, own, sizeof own - 1);
	for (size_t page = 3; page < 64; page++) {
		unsigned char *at = deep + page * OWN_PAGE;

		memset(at, 0, OWN_PAGE);
		set(at, page, 8);
		set(at + 8, 1, 2);
		set(at + 10, 1, 2);
		set(at + 16, 16, 4);
		set(at + 16 + 8, page + 1, 8);
	}
	own_meta(0, 7, 3, 64);
	memcpy(deep, own, OWN_PAGE);
	assert_int_equal(bolt_check(deep, sizeof deep, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "page 44: deeper than 40"));
	set(deep + 43 * OWN_PAGE + 8, 2, 2); /* a leaf at the last level that is looked at */
	set(deep + 43 * OWN_PAGE + 10, 0, 2);
	if (bolt_check(deep, sizeof deep, &err) < 0)
		fail_msg("%s", err.text);
}

static void the_list_of_free_pages_fits_its_page(void **state)
{
	(void)state;
	own_page(2, 0x10, 126);
	expect_own("");
	own_page(2, 0x10, 127);
	expect_own("page 2: expected the list of free pages, found kind 16");
	own_page(2, 0x02, 0);
	expect_own("page 2: expected the list of free pages, found kind 2");
	own_page(2, 0x10, 0xffff); /* then the first of the list is its length */
	set(own + 2 * OWN_PAGE + 16, 125, 8);
	expect_own("");
	set(own + 2 * OWN_PAGE + 16, 126, 8);
	expect_own("page 2: expected the list of free pages, found kind 16");
	own[2 * OWN_PAGE] = 7;
	expect_own("list of free pages: page 2: expected its number, found 7");
}

/* Of each size: two meta pages, no list of free pages, and an empty leaf. */
static void pages_have_1_to_64_kib(void **state)
{
	(void)state;
	for (size_t size = 512; size <= 131072; size *= 2) {
		unsigned char *file = calloc(3, size);

		assert_non_null(file);
		set_meta(file + 16, size, 1, 2, 3, UINT64_MAX);
		set(file + 2 * size, 2, 8);
		set(file + 2 * size + 8, 2, 2);
		assert_int_equal(bolt_check(file, 3 * size, NULL), size >= 1024 && size <= 65536 ? 0 : -EBADMSG);
		free(file);
	}
}

#define on_own(test) cmocka_unit_test_setup(test, own_database)

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
		on_own(a_tree_of_branches_and_leaves_is_good),
		on_own(the_newer_of_two_good_meta_pages_counts),
		on_own(as_many_pages_as_there_are_may_be_in_use),
		on_own(a_page_over_several_pages_is_one),
		on_own(keys_out_of_order_are_found),
		on_own(more_elements_than_a_page_holds_are_found),
		on_own(as_many_elements_as_a_page_holds_are_good),
		on_own(a_page_of_another_kind_is_found),
		on_own(buckets_are_looked_into),
		on_own(a_tree_that_never_ends_is_not_followed),
		on_own(the_list_of_free_pages_fits_its_page),
		cmocka_unit_test(pages_have_1_to_64_kib),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
