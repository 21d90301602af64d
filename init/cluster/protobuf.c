/* Just enough of protocol buffers to ask containerd's CRI.
 *
 * Source: protobuf.dev, "Encoding": a field is a varint tag (number << 3 | wire type) and a value by wire type.
 */
#include "cluster/protobuf.h"

#include <errno.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_DELIMITED = 2, WIRE_32 = 5 };

struct protobuf protobuf_of(const void *data, size_t len)
{
	return (struct protobuf){data, len, 0};
}

static int read_varint(struct protobuf *message, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 64 && message->at < message->len; shift += 7) {
		unsigned char byte = message->data[message->at++];

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return 0;
	}
	return -EBADMSG;
}

static int skip(struct protobuf *message, uint64_t bytes)
{
	if (bytes > message->len - message->at)
		return -EBADMSG;
	message->at += (size_t)bytes;
	return 0;
}

int protobuf_next(struct protobuf *message, struct protobuf_field *field)
{
	uint64_t tag, len;

	memset(field, 0, sizeof *field);
	if (message->at == message->len)
		return 0;
	if (read_varint(message, &tag) < 0 || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
		return -EBADMSG;
	field->number = (unsigned)(tag >> 3);
	switch (tag & 7) {
	case WIRE_VARINT:
		return read_varint(message, &field->value) < 0 ? -EBADMSG : 1;
	case WIRE_64:
		return skip(message, 8) < 0 ? -EBADMSG : 1;
	case WIRE_32:
		return skip(message, 4) < 0 ? -EBADMSG : 1;
	case WIRE_DELIMITED:
		if (read_varint(message, &len) < 0 || len > message->len - message->at)
			return -EBADMSG;
		field->delimited = true;
		field->message = protobuf_of(message->data + message->at, (size_t)len);
		message->at += (size_t)len;
		return 1;
	default:
		return -EBADMSG;
	}
}

bool protobuf_is(const struct protobuf_field *field, const char *text)
{
	return field->delimited && field->message.len == strlen(text) &&
	       !memcmp(field->message.data, text, strlen(text));
}

void protobuf_copy(const struct protobuf_field *field, char *text, size_t size)
{
	size_t len = field->message.len < size - 1 ? field->message.len : size - 1;

	if (len)
		memcpy(text, field->message.data, len);
	text[len] = 0;
}

static int add_varint(struct buf *message, uint64_t value)
{
	unsigned char bytes[10];
	size_t n = 0;

	do {
		bytes[n] = (unsigned char)(value & 0x7f);
		value >>= 7;
		if (value)
			bytes[n] |= 0x80;
		n++;
	} while (value);
	return buf_add(message, bytes, n);
}

int protobuf_add_varint(struct buf *message, unsigned number, uint64_t value)
{
	int r = add_varint(message, (uint64_t)number << 3 | WIRE_VARINT);

	return r ? r : add_varint(message, value);
}

int protobuf_add_string(struct buf *message, unsigned number, const char *text)
{
	int r = add_varint(message, (uint64_t)number << 3 | WIRE_DELIMITED);

	if (!r)
		r = add_varint(message, strlen(text));
	return r ? r : buf_add(message, text, strlen(text));
}
