/* A byte buffer that grows up to a bound. */
#include "lib/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(struct buf *buf, size_t more)
{
	size_t max = buf->max ? buf->max : BUF_DEFAULT_MAX;
	size_t need, room;
	char *data;

	if (more > max || buf->len > max - more)
		return -EFBIG;
	need = buf->len + more + 1;
	if (need <= buf->room)
		return 0;
	room = buf->room ? buf->room : 64;
	while (room < need)
		room *= 2;
	data = realloc(buf->data, room);
	if (!data)
		return -ENOMEM;
	buf->data = data;
	buf->room = room;
	return 0;
}

int buf_add(struct buf *buf, const void *data, size_t len)
{
	int r = reserve(buf, len);

	if (r < 0)
		return r;
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = 0;
	return 0;
}

int buf_add_string(struct buf *buf, const char *string)
{
	return buf_add(buf, string, strlen(string));
}

int buf_addf(struct buf *buf, const char *format, ...)
{
	va_list args, again;
	int len, r;

	va_start(args, format);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	r = len < 0 ? -EINVAL : reserve(buf, (size_t)len);
	if (!r) {
		vsnprintf(buf->data + buf->len, (size_t)len + 1, format, again);
		buf->len += (size_t)len;
	}
	va_end(again);
	return r;
}

void buf_free(struct buf *buf)
{
	free(buf->data);
	buf->data = NULL;
	buf->len = buf->room = 0;
}

const char *buf_string(const struct buf *buf)
{
	return buf->data ? buf->data : "";
}
