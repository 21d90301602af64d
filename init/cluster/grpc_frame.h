/* HTTP/2 frames of unary gRPC calls, made and read without a library. Pure: bytes in, bytes out. */
#ifndef KEELSON_CLUSTER_GRPC_FRAME_H
#define KEELSON_CLUSTER_GRPC_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"

#define GRPC_MESSAGE_MAX ((size_t)8 << 20)

enum grpc_state {
	GRPC_WAITING,
	GRPC_ANSWERED, /* a whole message arrived */
	GRPC_REFUSED   /* the stream ended without one: unknown service, or the call failed */
};

struct grpc_call {
	uint32_t stream; /* 1, 3, 5, … */
	enum grpc_state state;
	struct buf data; /* what DATA frames brought: five bytes of prefix, then the message */
};

/* The preface and our settings; sent once, before the first call. */
int grpc_add_preface(struct buf *out);

/* One call: HEADERS and DATA. path is such as "/runtime.v1.RuntimeService/Version", at most 120 bytes. */
int grpc_add_call(struct buf *out, uint32_t stream, const char *path, const void *message, size_t len);

/* Take what has arrived. Whole frames are removed from IN, what has to be answered (settings, pings) is appended to
 * OUT, calls change their state. Returns 0, or -EPROTO with a reason. */
int grpc_take(struct buf *in, struct buf *out, struct grpc_call *calls, size_t count, struct err *err);

/* The message of an answered call. */
const void *grpc_message(const struct grpc_call *call, size_t *len);

#endif
