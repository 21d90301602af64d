/* HTTP/2 frames of unary gRPC calls.
 *
 * A probe must be a cheap process, and the request is always the same few bytes: a library for HTTP/2 would be most of
 * the program. Our header list is literal, without Huffman codes (RFC 7541 section 6.2.2); the server's headers are not
 * decoded at all: a unary call that succeeds brings a message, one that fails ends its stream without one.
 * Sources: RFC 9113 sections 4 and 6; grpc.io, "gRPC over HTTP2".
 */
#include "cluster/grpc_frame.h"

#include <errno.h>
#include <string.h>

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8 };
enum { END_STREAM = 0x1, ACK = 0x1, END_HEADERS = 0x4, PADDED = 0x8 };

#define FRAME_HEADER 9
#define FRAME_MAX 16384 /* what we allow by not saying otherwise */
#define WINDOW (8u << 20)
#define PREFIX 5 /* of a gRPC message: one byte "compressed", four bytes of length */

static int add_frame(struct buf *out, unsigned type, unsigned flags, uint32_t stream, const void *data, size_t len)
{
	const unsigned char header[FRAME_HEADER] = {
		(unsigned char)(len >> 16),    (unsigned char)(len >> 8),    (unsigned char)len,
		(unsigned char)type,	       (unsigned char)flags,	     (unsigned char)(stream >> 24),
		(unsigned char)(stream >> 16), (unsigned char)(stream >> 8), (unsigned char)stream};
	int r = buf_add(out, header, sizeof header);

	return r ? r : buf_add(out, data, len);
}

int grpc_add_preface(struct buf *out)
{
	/* SETTINGS_HEADER_TABLE_SIZE 0: nothing to remember. SETTINGS_INITIAL_WINDOW_SIZE: a whole answer fits. */
	static const unsigned char settings[] = {0, 1, 0, 0, 0, 0, 0, 4, WINDOW >> 24, WINDOW >> 16 & 0xff, 0, 0};
	static const unsigned char window[] = {WINDOW >> 24, WINDOW >> 16 & 0xff, 0, 0};
	int r = buf_add_string(out, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

	if (!r)
		r = add_frame(out, SETTINGS, 0, 0, settings, sizeof settings);
	return r ? r : add_frame(out, WINDOW_UPDATE, 0, 0, window, sizeof window);
}

/* A string of fewer than 127 bytes, not Huffman-coded. */
static int add_text(struct buf *block, const char *text)
{
	unsigned char len = (unsigned char)strlen(text);
	int r = buf_add(block, &len, 1);

	return r ? r : buf_add(block, text, len);
}

static int add_headers(struct buf *block, const char *path)
{
	/* Indexed :method POST and :scheme http; then names by index: :path 4, :authority 1, content-type 31. */
	int r = buf_add(block, "\x83\x86\x04", 3);

	if (!r)
		r = add_text(block, path);
	if (!r)
		r = buf_add(block, "\x01", 1);
	if (!r)
		r = add_text(block, "localhost");
	if (!r)
		r = buf_add(block, "\x0f\x10", 2);
	if (!r)
		r = add_text(block, "application/grpc");
	if (!r)
		r = buf_add(block, "", 1);
	if (!r)
		r = add_text(block, "te");
	return r ? r : add_text(block, "trailers");
}

int grpc_add_call(struct buf *out, uint32_t stream, const char *path, const void *message, size_t len)
{
	struct buf block = {0}, data = {0};
	const unsigned char prefix[PREFIX] = {0, (unsigned char)(len >> 24), (unsigned char)(len >> 16),
					      (unsigned char)(len >> 8), (unsigned char)len};
	int r;

	if (strlen(path) > 120 || len > FRAME_MAX - PREFIX)
		return -E2BIG;
	r = add_headers(&block, path);
	if (!r)
		r = add_frame(out, HEADERS, END_HEADERS, stream, block.data, block.len);
	if (!r)
		r = buf_add(&data, prefix, sizeof prefix);
	if (!r)
		r = buf_add(&data, message, len);
	if (!r)
		r = add_frame(out, DATA, END_STREAM, stream, data.data, data.len);
	buf_free(&block);
	buf_free(&data);
	return r;
}

static size_t message_length(const struct grpc_call *call)
{
	const unsigned char *p = (const unsigned char *)call->data.data;

	return (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
}

const void *grpc_message(const struct grpc_call *call, size_t *len)
{
	*len = message_length(call);
	return call->data.data + PREFIX;
}

static struct grpc_call *call_of(struct grpc_call *calls, size_t count, uint32_t stream)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i].stream == stream)
			return &calls[i];
	return NULL;
}

static int take_data(struct grpc_call *call, unsigned flags, const unsigned char *data, size_t len, struct err *err)
{
	size_t pad = 0;

	if (flags & PADDED) {
		if (len == 0 || data[0] >= len)
			return err_set(err, EPROTO, "HTTP/2: padding longer than its frame");
		pad = data[0];
		data++;
		len -= 1 + pad;
	}
	call->data.max = GRPC_MESSAGE_MAX + PREFIX;
	if (buf_add(&call->data, data, len) < 0)
		return err_set(err, EPROTO, "gRPC: expected an answer of at most %zu bytes", GRPC_MESSAGE_MAX);
	if (call->data.len >= PREFIX && call->data.len - PREFIX >= message_length(call))
		call->state = GRPC_ANSWERED;
	return 0;
}

static int take_frame(const unsigned char *frame, size_t len, struct buf *out, struct grpc_call *calls, size_t count,
		      struct err *err)
{
	unsigned type = frame[3], flags = frame[4];
	uint32_t stream =
		(uint32_t)(frame[5] & 0x7f) << 24 | (uint32_t)frame[6] << 16 | (uint32_t)frame[7] << 8 | frame[8];
	struct grpc_call *call = call_of(calls, count, stream);
	const unsigned char *data = frame + FRAME_HEADER;
	int r = 0;

	if (type == SETTINGS && !(flags & ACK))
		r = add_frame(out, SETTINGS, ACK, 0, NULL, 0);
	else if (type == PING && !(flags & ACK))
		r = len == 8 ? add_frame(out, PING, ACK, 0, data, len) : -EPROTO;
	else if (type == GOAWAY)
		return err_set(err, EPROTO, "HTTP/2: the server closed the connection");
	if (r < 0)
		return err_set(err, EPROTO, "HTTP/2: a frame that is none");
	if (!call || call->state != GRPC_WAITING)
		return 0;
	if (type == DATA)
		r = take_data(call, flags, data, len, err);
	if (!r && call->state == GRPC_WAITING &&
	    (type == RST_STREAM || ((type == DATA || type == HEADERS) && (flags & END_STREAM))))
		call->state = GRPC_REFUSED;
	return r;
}

int grpc_take(struct buf *in, struct buf *out, struct grpc_call *calls, size_t count, struct err *err)
{
	size_t at = 0;
	int r = 0;

	while (!r && in->len - at >= FRAME_HEADER) {
		const unsigned char *frame = (const unsigned char *)in->data + at;
		size_t len = (size_t)frame[0] << 16 | (size_t)frame[1] << 8 | frame[2];

		if (len > FRAME_MAX)
			return err_set(err, EPROTO, "HTTP/2: expected a frame of at most %d bytes, found %zu",
				       FRAME_MAX, len);
		if (in->len - at - FRAME_HEADER < len)
			break;
		r = take_frame(frame, len, out, calls, count, err);
		at += FRAME_HEADER + len;
	}
	if (at) {
		memmove(in->data, in->data + at, in->len - at);
		in->len -= at;
	}
	return r;
}
