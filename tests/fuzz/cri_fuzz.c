/* What containerd answers: HTTP/2 frames as they arrive, in pieces, and the messages in them. */
#include "fuzz.h"

#include "cluster/grpc_frame.h"
#include "cluster/images.h"
#include "cluster/pods.h"
#include "lib/cleanup.h"

#define CALLS 2

static void read_message(struct protobuf message)
{
	struct pod_containers containers = {0};
	struct err err = {""};
	int grace;

	if (pods_read(message, &containers, &err) < 0)
		PROMISE(err.text[0]);
	for (size_t i = 0; i < containers.count; i++) {
		const struct pod_container *c = &containers.items[i];

		PROMISE(c->id[0] && memchr(c->id, 0, sizeof c->id) && memchr(c->pod_uid, 0, sizeof c->pod_uid));
		PROMISE(memchr(c->pod_namespace, 0, sizeof c->pod_namespace) &&
			memchr(c->pod_name, 0, sizeof c->pod_name));
		PROMISE(c->grace >= 0 && c->grace <= PODS_GRACE_MAX && c->turn < POD_TURNS);
	}
	for (unsigned turn = 0; turn < POD_TURNS; turn++)
		PROMISE(pods_count(&containers, turn, &grace) <= containers.count && grace <= PODS_GRACE_MAX);
	image_is_listed(message, "docker.io/keelson/base:latest");
	pods_free(&containers);
}

static void take(struct buf *in, const uint8_t *piece, size_t size, struct grpc_call *calls)
{
	_cleanup_(buf_free) struct buf out = {0};
	struct err err = {""};

	PROMISE(!buf_add(in, piece, size));
	if (grpc_take(in, &out, calls, CALLS, &err) < 0) {
		PROMISE(err.text[0]);
		buf_free(in);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct grpc_call calls[CALLS] = {{.stream = 1}, {.stream = 3}};
	_cleanup_(buf_free) struct buf in = {0}, request = {0};
	const uint8_t *piece;
	size_t size;

	PROMISE(!grpc_add_preface(&request) &&
		!grpc_add_call(&request, 1, "/runtime.v1.RuntimeService/Version", "", 0));
	while (fuzz_piece(&data, &len, &piece, &size) >= 0)
		take(&in, piece, size, calls);
	for (size_t i = 0; i < CALLS; i++) {
		if (calls[i].state == GRPC_ANSWERED) {
			const void *message = grpc_message(&calls[i], &size);
			void *copy;

			PROMISE(size + 5 <= calls[i].data.len);
			copy = fuzz_copy(message, size, 0);
			read_message(protobuf_of(copy, size));
			free(copy);
		}
		buf_free(&calls[i].data);
	}
	return 0;
}
