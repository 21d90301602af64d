/* Ask PID 1 on this node: one request, its answer read to the end. */
#ifndef KEELSON_CONTROL_CLIENT_H
#define KEELSON_CONTROL_CLIENT_H

#include "lib/buf.h"
#include "lib/err.h"

#define CONTROL_PATH "/run/keelson/control"
#define RUN_ON_A_NODE "run it on a Keelson node (README, \"Look into a node\")"

/* request: "services", "stop kubelet", … The lines before the last one go to answer (may be NULL). Returns 0 for "ok",
 * or negative errno with the reason. timeout_ms: 0 waits as long as PID 1 does, which has bounds of its own. */
int control_request(const char *path, const char *request, int timeout_ms, struct buf *answer, struct err *err);

#endif
