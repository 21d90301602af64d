/* Ask containerd's CRI over its socket: unary calls, bounded in time and bytes. */
#ifndef KEELSON_CLUSTER_CRI_H
#define KEELSON_CLUSTER_CRI_H

#include "cluster/grpc_frame.h"
#include "lib/err.h"

struct cri_request {
	const char *method; /* "RuntimeService/Version" */
	const void *message;
	size_t len;
};

/* Told again and again while calls are waited for. */
struct cri_progress {
	void (*tell)(void *arg, const struct grpc_call *calls, size_t count);
	void *arg;
	int every_ms;
};

/* Make all calls at once on one connection, and wait for all. calls has room for count; the caller frees each
 * calls[i].data. CRI v1 is asked; when the server knows it not at all, v1alpha2. Returns 0 when every call came to an
 * end, whatever it was; -ETIMEDOUT, -ECONNREFUSED, -EPROTO. progress: may be NULL. */
int cri_ask(const char *socket_path, const struct cri_request *requests, size_t count, struct grpc_call *calls,
	    int timeout_ms, const struct cri_progress *progress, struct err *err);

/* One call whose refusal is an error. */
int cri_ask_one(const char *socket_path, const struct cri_request *request, struct grpc_call *call, int timeout_ms,
		struct err *err);

#endif
