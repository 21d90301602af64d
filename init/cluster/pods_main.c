/* keelson pods stop: end the pods before the node goes down.
 *
 * The kubelet is stopped already, so that it does not start again what ends; containerd still serves and knows each
 * container's own stop signal. Ordinary pods first, each with its grace (at most 30 s), then the control plane, etcd
 * last, so that what the others still write arrives. When containerd does not answer, the cgroups do.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cluster/cluster.h"
#include "cluster/cri.h"
#include "cluster/pods.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/story.h"

#define KUBEPODS "/sys/fs/cgroup/kubepods"
#define LIST_TIMEOUT_MS 5000
#define MARGIN_MS 3000
#define TELL_MS 5000
#define AT_ONCE 200 /* calls on one connection; grpc-go's server allows 100 to 250 streams, the rest wait in line */

static const char *const turn_names[POD_TURNS] = {"pods", "control plane", "etcd"};

static int list_running(struct pod_containers *containers, struct err *err)
{
	/* ListContainersRequest {filter {state {state: CONTAINER_RUNNING}}} */
	static const unsigned char running[] = {0x0a, 0x04, 0x12, 0x02, 0x08, 0x01};
	const struct cri_request request = {"RuntimeService/ListContainers", running, sizeof running};
	struct grpc_call call = {0};
	size_t len;
	int r = cri_ask_one(CONTAINERD_SOCKET, &request, &call, LIST_TIMEOUT_MS, err);

	if (!r) {
		const void *data = grpc_message(&call, &len);

		r = pods_read(protobuf_of(data, len), containers, err);
	}
	buf_free(&call.data);
	return r;
}

/* StopContainerRequest {container_id: 1, timeout: 2} */
static int stop_request(const struct pod_container *container, struct buf *message)
{
	int r = protobuf_add_string(message, 1, container->id);

	return r || !container->grace ? r : protobuf_add_varint(message, 2, (uint64_t)container->grace);
}

static double seconds_of(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

struct stopping {
	const struct pod_container *const *some;
	struct timespec start;
};

static void tell_waiting(void *arg, const struct grpc_call *calls, size_t count)
{
	const struct stopping *stopping = arg;
	char text[900];

	pods_waiting_text(stopping->some, calls, count, (int)seconds_of(&stopping->start), text, sizeof text);
	if (*text)
		story("%s", text);
}

static int stop_some(const struct pod_container *const *some, size_t count, struct err *err)
{
	struct stopping stopping = {.some = some};
	const struct cri_progress progress = {tell_waiting, &stopping, TELL_MS};
	struct cri_request requests[AT_ONCE] = {0};
	struct grpc_call calls[AT_ONCE] = {0};
	struct buf messages[AT_ONCE] = {0};
	int longest = 0, r = 0;

	clock_gettime(CLOCK_MONOTONIC, &stopping.start);
	for (size_t i = 0; !r && i < count; i++) {
		longest = some[i]->grace > longest ? some[i]->grace : longest;
		r = stop_request(some[i], &messages[i]);
		requests[i] = (struct cri_request){"RuntimeService/StopContainer", messages[i].data, messages[i].len};
	}
	if (!r)
		r = cri_ask(CONTAINERD_SOCKET, requests, count, calls, longest * 1000 + MARGIN_MS, &progress, err);
	for (size_t i = 0; i < count; i++) {
		buf_free(&messages[i]);
		buf_free(&calls[i].data);
	}
	return r;
}

static int stop_turn(const struct pod_containers *containers, enum pod_turn turn, struct err *err)
{
	const struct pod_container *some[AT_ONCE];
	int longest;
	size_t pods = pods_count(containers, turn, &longest), count = 0;
	struct timespec start;
	int r = 0;

	if (!pods)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &start);
	if (turn == TURN_ORDINARY)
		story("stopping %zu pod%s (killed after %d s)", pods, pods == 1 ? "" : "s", longest);
	for (size_t i = 0; i < containers->count; i++) {
		if (containers->items[i].turn == turn)
			some[count++] = &containers->items[i];
		if (count == AT_ONCE || (i + 1 == containers->count && count)) {
			r = stop_some(some, count, err);
			count = 0;
		}
	}
	if (!r)
		story("%s stopped (%.1f s)", turn_names[turn], seconds_of(&start));
	return r;
}

static void stop_by_cgroup(enum pod_turn turn)
{
	int processes = pods_cgroup_stop(KUBEPODS, turn, turn == TURN_ORDINARY ? 10 : CONTROL_PLANE_GRACE_MAX);

	if (processes)
		story("%s: %d process%s told to end", turn_names[turn], processes, processes == 1 ? "" : "es");
}

int pods_main(int argc, char **argv)
{
	struct pod_containers containers = {0};
	struct err err = {{0}};
	int r;

	if (argc != 2 || strcmp(argv[1], "stop")) {
		fputs("usage: keelson pods stop\n", stderr);
		return 2;
	}
	r = list_running(&containers, &err);
	for (int turn = 0; turn < POD_TURNS; turn++) {
		if (r >= 0)
			r = stop_turn(&containers, (enum pod_turn)turn, &err);
		if (r < 0)
			stop_by_cgroup((enum pod_turn)turn);
	}
	if (r < 0)
		story("pods were stopped without containerd: %s", err.text);
	/* What is left are the sandboxes' pauses, and whatever did not obey. */
	pods_cgroup_kill(KUBEPODS);
	pods_free(&containers);
	return 0;
}
