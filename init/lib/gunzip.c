/* Unpack gzip in memory, with a bound. */
#include "lib/gunzip.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

bool is_gzip(const void *data, size_t len)
{
	return len >= 2 && !memcmp(data, "\x1f\x8b", 2);
}

static int inflate_all(z_stream *z, size_t max, struct buf *out, struct err *err)
{
	unsigned char chunk[16384];
	size_t start = out->len;
	int r, state;

	do {
		size_t got;

		z->next_out = chunk;
		z->avail_out = sizeof chunk;
		state = inflate(z, Z_NO_FLUSH);
		if (state != Z_OK && state != Z_STREAM_END)
			return err_set(err, EINVAL, "gzip: %s",
				       state == Z_BUF_ERROR ? "cut short"
				       : z->msg		    ? z->msg
							    : "damaged");
		got = sizeof chunk - z->avail_out;
		if (got > max - (out->len - start))
			return err_set(err, EFBIG, "gzip: expected at most %zu bytes unpacked, found more", max);
		r = buf_add(out, chunk, got);
		if (r < 0)
			return err_set(err, -r, "gzip: %s", strerror(-r));
	} while (state != Z_STREAM_END);
	if (z->avail_in)
		return err_set(err, EINVAL, "gzip: %u bytes behind the end", z->avail_in);
	return 0;
}

int gunzip(const void *data, size_t len, size_t max, struct buf *out, struct err *err)
{
	z_stream z = {0};
	int r;

	if (len > INT_MAX)
		return err_set(err, EFBIG, "gzip: %zu bytes", len);
	z.next_in = (unsigned char *)(uintptr_t)data;
	z.avail_in = (unsigned)len;
	/* 16: a gzip header and nothing else */
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return err_set(err, ENOMEM, "gzip: no memory");
	r = inflate_all(&z, max, out, err);
	inflateEnd(&z);
	return r;
}
