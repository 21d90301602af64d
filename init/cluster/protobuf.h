/* Just enough of protocol buffers to ask containerd's CRI: walk a message field by field, and write a few. Pure. */
#ifndef KEELSON_CLUSTER_PROTOBUF_H
#define KEELSON_CLUSTER_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"

struct protobuf {
	const unsigned char *data;
	size_t len, at;
};

struct protobuf_field {
	unsigned number;
	uint64_t value;		 /* of a varint */
	struct protobuf message; /* of a length-delimited field: bytes, string or message */
	bool delimited;
};

struct protobuf protobuf_of(const void *data, size_t len);

/* The next field. Returns 1, 0 at the end, -EBADMSG when it is no protocol buffer. */
int protobuf_next(struct protobuf *message, struct protobuf_field *field);

/* Is this field's content the given string? And a copy of it, cut to size. */
bool protobuf_is(const struct protobuf_field *field, const char *text);
void protobuf_copy(const struct protobuf_field *field, char *text, size_t size);

int protobuf_add_varint(struct buf *message, unsigned number, uint64_t value);
int protobuf_add_string(struct buf *message, unsigned number, const char *text);

#endif
