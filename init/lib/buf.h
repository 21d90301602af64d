/* A byte buffer that grows up to a bound. Untrusted input is read into one of these, never into an unbounded string. */
#ifndef KEELSON_BUF_H
#define KEELSON_BUF_H

#include <stddef.h>

struct buf {
	char *data;  /* NUL-terminated behind len whenever it is not NULL */
	size_t len;  /* bytes in use */
	size_t room; /* bytes allocated */
	size_t max;  /* most bytes it may hold; 0 means BUF_DEFAULT_MAX */
};

#define BUF_DEFAULT_MAX ((size_t)16 << 20)

/* Append. Return 0, -ENOMEM, or -EFBIG when the bound is passed; the buffer is then as it was. */
int buf_add(struct buf *buf, const void *data, size_t len);
int buf_add_string(struct buf *buf, const char *string);
int buf_addf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Frees the bytes and leaves an empty buffer with the same bound. Usable as _cleanup_(buf_free). */
void buf_free(struct buf *buf);

/* The content as a string that is never NULL. */
const char *buf_string(const struct buf *buf);

#endif
