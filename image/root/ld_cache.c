/* glibc's ld.so.cache, format "glibc-ld.so.cache1.1".
 *
 * A header of 48 bytes, an entry of 24 bytes a library (sorted from the greatest name to the least, ld.so searches by
 * halves), then the strings; offsets of strings count from the start of the file.
 * Source: glibc 2.36 sysdeps/generic/dl-cache.h, elf/dl-cache.c (_dl_cache_libcmp), elf/cache.c (save_cache).
 */
#include "root/ld_cache.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"

#define MAGIC "glibc-ld.so.cache1.1"
#define HEADER_BYTES 48u
#define ENTRY_BYTES 24u
#define LITTLE_ENDIAN_FLAG 2
#define FLAGS_X86_64_LIBC6 0x0303u

int compare_sonames(const char *a, const char *b)
{
	for (; *a; a++, b++) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *end_a, *end_b;
			unsigned long x = strtoul(a, &end_a, 10), y = strtoul(b, &end_b, 10);

			if (x != y)
				return order_of(x, y);
			a = end_a - 1;
			b = end_b - 1;
		} else if (isdigit((unsigned char)*a)) {
			return 1;
		} else if (isdigit((unsigned char)*b)) {
			return -1;
		} else if (*a != *b) {
			return *a - *b;
		}
	}
	return *a - *b;
}

static int greatest_first(const void *a, const void *b)
{
	const struct ld_entry *x = a, *y = b;
	int order = compare_sonames(y->soname, x->soname);

	return order ? order : strcmp(x->path, y->path);
}

static void put32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static int add_header(uint32_t count, uint32_t strings, struct buf *cache)
{
	unsigned char header[HEADER_BYTES] = {0};

	memcpy(header, MAGIC, sizeof MAGIC - 1);
	put32(header + 20, count);
	put32(header + 24, strings);
	header[28] = LITTLE_ENDIAN_FLAG;
	return buf_add(cache, header, sizeof header);
}

int render_ld_cache(struct ld_entry *entries, size_t count, struct buf *cache)
{
	uint32_t strings = 0, offset = HEADER_BYTES + (uint32_t)count * ENTRY_BYTES;
	int r;

	if (count)
		qsort(entries, count, sizeof *entries, greatest_first);
	for (size_t i = 0; i < count; i++)
		strings += (uint32_t)(strlen(entries[i].soname) + strlen(entries[i].path) + 2);
	r = add_header((uint32_t)count, strings, cache);
	for (size_t i = 0; i < count && !r; i++) {
		unsigned char entry[ENTRY_BYTES] = {0};

		put32(entry, FLAGS_X86_64_LIBC6);
		put32(entry + 4, offset);
		offset += (uint32_t)strlen(entries[i].soname) + 1;
		put32(entry + 8, offset);
		offset += (uint32_t)strlen(entries[i].path) + 1;
		r = buf_add(cache, entry, sizeof entry);
	}
	for (size_t i = 0; i < count && !r; i++) {
		r = buf_add(cache, entries[i].soname, strlen(entries[i].soname) + 1);
		if (!r)
			r = buf_add(cache, entries[i].path, strlen(entries[i].path) + 1);
	}
	return r;
}
