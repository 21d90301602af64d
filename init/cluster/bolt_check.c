/* Is a bolt database whole?
 *
 * containerd opens its databases without a look inside and panics later, at every start, on a page that a power cut
 * left empty or torn. Every page that can be reached is looked at: its number, its kind, its elements in bounds and in
 * order. Source: go.etcd.io/bbolt, page.go, db.go (struct meta), bucket.go (struct bucket); little-endian as written by
 * amd64.
 */
#include "cluster/bolt_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"

#define MAGIC 0xED0CDAEDu
#define VERSION 2
#define NO_FREELIST UINT64_MAX
#define DEPTH_MAX 40

enum { PAGE_BRANCH = 0x01, PAGE_LEAF = 0x02, PAGE_META = 0x04, PAGE_FREELIST = 0x10 };
enum { PAGE_HEADER = 16, ELEMENT = 16, META_SUMMED = 56, BUCKET_HEADER = 16 };

struct bolt {
	const unsigned char *bytes;
	size_t page_size;
	uint64_t pages; /* in use: the high water mark */
	unsigned char *seen;
	struct err *err;
};

struct bolt_page {
	const unsigned char *start;
	size_t size; /* with its overflow */
	unsigned flags, count;
};

static uint32_t get32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get64(const unsigned char *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

static uint64_t fnv1a(const unsigned char *p, size_t len)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ p[i]) * UINT64_C(1099511628211);
	return hash;
}

static bool meta_is_good(const unsigned char *meta, size_t page_size)
{
	return get32(meta) == MAGIC && get32(meta + 4) == VERSION && get32(meta + 8) == page_size &&
	       get64(meta + META_SUMMED) == fnv1a(meta, META_SUMMED);
}

/* The newer of the two meta pages that is good; the other may be torn, that is what there are two for. */
static const unsigned char *find_meta(const unsigned char *bytes, size_t size, size_t page_size)
{
	const unsigned char *best = NULL;

	for (size_t i = 0; i < 2; i++) {
		const unsigned char *meta = bytes + i * page_size + PAGE_HEADER;

		if (size < 2 * page_size || !meta_is_good(meta, page_size))
			continue;
		if (!best || get64(meta + 48) > get64(best + 48))
			best = meta;
	}
	return best;
}

static int read_page(struct bolt *bolt, uint64_t id, struct bolt_page *page)
{
	const unsigned char *p;
	uint64_t overflow;

	if (id < 2 || id >= bolt->pages)
		return err_set(bolt->err, EBADMSG, "page %llu lies outside", (unsigned long long)id);
	if (bolt->seen[id]++)
		return err_set(bolt->err, EBADMSG, "page %llu is used twice", (unsigned long long)id);
	p = bolt->bytes + id * bolt->page_size;
	overflow = get32(p + 12);
	if (get64(p) != id)
		return err_set(bolt->err, EBADMSG, "page %llu: expected its number, found %llu", (unsigned long long)id,
			       (unsigned long long)get64(p));
	if (overflow >= bolt->pages - id)
		return err_set(bolt->err, EBADMSG, "page %llu runs over the end", (unsigned long long)id);
	page->start = p;
	page->size = (size_t)(overflow + 1) * bolt->page_size;
	page->flags = (unsigned)p[8] | (unsigned)p[9] << 8;
	page->count = (unsigned)p[10] | (unsigned)p[11] << 8;
	return 0;
}

static int check_tree(struct bolt *bolt, uint64_t id, int depth);
static int check_leaf(struct bolt *bolt, const struct bolt_page *page, int depth);

/* A bucket's value: where its tree begins, or, when small, the one page of it inline. */
static int check_bucket(struct bolt *bolt, const unsigned char *value, size_t size, int depth)
{
	struct bolt_page inline_page;

	if (size < BUCKET_HEADER)
		return err_set(bolt->err, EBADMSG, "a bucket of %zu bytes", size);
	if (get64(value) != 0)
		return check_tree(bolt, get64(value), depth + 1);
	if (size < BUCKET_HEADER + PAGE_HEADER)
		return err_set(bolt->err, EBADMSG, "an inline bucket of %zu bytes", size);
	value += BUCKET_HEADER;
	inline_page = (struct bolt_page){value, size - BUCKET_HEADER, (unsigned)value[8] | (unsigned)value[9] << 8,
					 (unsigned)value[10] | (unsigned)value[11] << 8};
	if (inline_page.flags != PAGE_LEAF)
		return err_set(bolt->err, EBADMSG, "an inline bucket of kind %u", inline_page.flags);
	return check_leaf(bolt, &inline_page, depth + 1);
}

static int compare_keys(const unsigned char *a, size_t a_len, const unsigned char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : order_of(a_len, b_len);
}

/* One element's key and value lie inside the page. */
static bool in_page(const struct bolt_page *page, const unsigned char *element, uint64_t position, uint64_t size)
{
	uint64_t at = (uint64_t)(element - page->start) + position;

	return at <= page->size && size <= page->size - at;
}

static int check_leaf(struct bolt *bolt, const struct bolt_page *page, int depth)
{
	const unsigned char *last = NULL;
	size_t last_len = 0;

	if (depth > DEPTH_MAX || (uint64_t)page->count * ELEMENT > page->size - PAGE_HEADER)
		return err_set(bolt->err, EBADMSG, "a leaf of %u elements at depth %d", page->count, depth);
	for (unsigned i = 0; i < page->count; i++) {
		const unsigned char *element = page->start + PAGE_HEADER + (size_t)i * ELEMENT;
		uint32_t position = get32(element + 4), key_len = get32(element + 8), value_len = get32(element + 12);
		const unsigned char *key;
		int r = 0;

		if (!in_page(page, element, position, (uint64_t)key_len + value_len))
			return err_set(bolt->err, EBADMSG, "element %u of a leaf lies outside its page", i);
		key = element + position;
		if (last && compare_keys(last, last_len, key, key_len) >= 0)
			return err_set(bolt->err, EBADMSG, "element %u of a leaf is out of order", i);
		if (get32(element) & 1)
			r = check_bucket(bolt, key + key_len, value_len, depth);
		if (r < 0)
			return r;
		last = key;
		last_len = key_len;
	}
	return 0;
}

static int check_branch(struct bolt *bolt, const struct bolt_page *page, int depth)
{
	if (page->count == 0 || (uint64_t)page->count * ELEMENT > page->size - PAGE_HEADER)
		return err_set(bolt->err, EBADMSG, "a branch of %u elements", page->count);
	for (unsigned i = 0; i < page->count; i++) {
		const unsigned char *element = page->start + PAGE_HEADER + (size_t)i * ELEMENT;
		int r;

		if (!in_page(page, element, get32(element), get32(element + 4)))
			return err_set(bolt->err, EBADMSG, "element %u of a branch lies outside its page", i);
		r = check_tree(bolt, get64(element + 8), depth + 1);
		if (r < 0)
			return r;
	}
	return 0;
}

static int check_tree(struct bolt *bolt, uint64_t id, int depth)
{
	struct bolt_page page;
	int r = read_page(bolt, id, &page);

	if (r < 0)
		return r;
	if (depth > DEPTH_MAX)
		return err_set(bolt->err, EBADMSG, "page %llu: deeper than %d", (unsigned long long)id, DEPTH_MAX);
	if (page.flags == PAGE_LEAF)
		r = check_leaf(bolt, &page, depth);
	else if (page.flags == PAGE_BRANCH)
		r = check_branch(bolt, &page, depth);
	else
		return err_set(bolt->err, EBADMSG, "page %llu: expected a leaf or a branch, found kind %u",
			       (unsigned long long)id, page.flags);
	return r ? err_wrap(bolt->err, r, "page %llu", (unsigned long long)id) : 0;
}

static int check_freelist(struct bolt *bolt, uint64_t id)
{
	struct bolt_page page;
	uint64_t count, room;
	int r;

	if (id == NO_FREELIST)
		return 0;
	r = read_page(bolt, id, &page);
	if (r < 0)
		return err_wrap(bolt->err, r, "list of free pages");
	room = (page.size - PAGE_HEADER) / 8;
	count = page.count;
	if (count == 0xffff) { /* the first entry is the count */
		count = get64(page.start + PAGE_HEADER);
		room--;
	}
	if (page.flags != PAGE_FREELIST || count > room)
		return err_set(bolt->err, EBADMSG, "page %llu: expected the list of free pages, found kind %u",
			       (unsigned long long)id, page.flags);
	return 0;
}

int bolt_check(const void *bytes, size_t size, struct err *err)
{
	struct bolt bolt = {.bytes = bytes, .err = err};
	const unsigned char *meta = NULL;
	int r;

	for (bolt.page_size = 1024; !meta && bolt.page_size <= 65536; bolt.page_size *= 2) {
		meta = find_meta(bytes, size, bolt.page_size);
		if (meta)
			break;
	}
	if (!meta)
		return err_set(err, EBADMSG, "expected a good meta page, found none");
	bolt.pages = get64(meta + 40);
	if (bolt.pages < 2 || bolt.pages > size / bolt.page_size)
		return err_set(err, EBADMSG, "expected %llu pages, found %zu", (unsigned long long)bolt.pages,
			       size / bolt.page_size);
	bolt.seen = calloc(1, (size_t)bolt.pages);
	if (!bolt.seen)
		return err_set(err, ENOMEM, "out of memory");
	r = check_freelist(&bolt, get64(meta + 32));
	if (!r)
		r = check_tree(&bolt, get64(meta + 16), 0);
	free(bolt.seen);
	return r;
}
