/* keelson probe: exit 0 when something really answers, 1 with the reason when not. PID 1's liveness checks. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/cri.h"
#include "cluster/protobuf.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/http.h"

#define PROBE_TIMEOUT_MS 5000

/* An answer is one that names a runtime: VersionResponse has runtime_name as its second field. */
static int probe_cri(const char *socket_path, struct err *err)
{
	const struct cri_request request = {"RuntimeService/Version", "", 0};
	struct grpc_call call = {0};
	struct protobuf_field field;
	struct protobuf message;
	const void *data;
	size_t len;
	int r = cri_ask_one(socket_path ? socket_path : CONTAINERD_SOCKET, &request, &call, PROBE_TIMEOUT_MS, err);

	if (!r) {
		data = grpc_message(&call, &len);
		message = protobuf_of(data, len);
		r = err_set(err, EPROTO, "CRI: expected a runtime's name, found none");
		while (protobuf_next(&message, &field) == 1)
			if (field.number == 2 && field.delimited && field.message.len)
				r = 0;
	}
	buf_free(&call.data);
	return r;
}

/* Any 2xx or 3xx, as the kubelet's httpGet. A probe asks its own machine: certificates are not the question. */
static int probe_http(const char *url, struct err *err)
{
	const struct http_options options = {.insecure = true, .no_proxy = true};
	const struct http_request request = {.url = url, .timeout_ms = PROBE_TIMEOUT_MS};
	_cleanup_(http_client_freep) struct http_client *client = NULL;
	struct http_response response = {0};
	int r = http_client_make(&options, &client, err);

	if (!r)
		r = http_ask(client, &request, &response, err);
	if (!r && (response.status < 200 || response.status >= 400))
		r = err_set(err, EIO, "%s: HTTP status %ld", url, response.status);
	http_response_free(&response);
	return r;
}

static int connect_in_time(const struct addrinfo *to, struct err *err)
{
	_cleanup_close_ int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd poll_fd = {fd, POLLOUT, 0};
	int failed = 0;
	socklen_t len = sizeof failed;

	if (fd < 0)
		return err_errno(err, "socket");
	if (connect(fd, to->ai_addr, to->ai_addrlen) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return err_errno(err, "connect");
	if (poll(&poll_fd, 1, PROBE_TIMEOUT_MS) == 0)
		return err_set(err, ETIMEDOUT, "no answer in time");
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &len) < 0 || failed)
		return err_set(err, failed ? failed : EIO, "%s", strerror(failed ? failed : EIO));
	return 0;
}

/* "127.0.0.1:2379", "[::1]:2379": numbers only, so that a probe never waits for a resolver. */
static int probe_tcp(const char *target, struct err *err)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
	const char *colon = strrchr(target, ':');
	struct addrinfo *found = NULL;
	char host[64];
	int r;

	if (!colon || colon == target || (size_t)(colon - target) >= sizeof host)
		return err_set(err, EINVAL, "%s: expected ADDRESS:PORT", target);
	snprintf(host, sizeof host, "%.*s", (int)(colon - target), target);
	if (host[0] == '[' && host[strlen(host) - 1] == ']') {
		memmove(host, host + 1, strlen(host));
		host[strlen(host) - 1] = 0;
	}
	if (getaddrinfo(host, colon + 1, &hints, &found) != 0)
		return err_set(err, EINVAL, "%s: expected ADDRESS:PORT in numbers", target);
	r = connect_in_time(found, err);
	freeaddrinfo(found);
	return r ? err_wrap(err, r, "%s", target) : 0;
}

int probe_main(int argc, char **argv)
{
	struct err err = {{0}};
	int r;

	if (argc >= 2 && argc <= 3 && !strcmp(argv[1], "cri"))
		r = probe_cri(argv[2], &err);
	else if (argc == 3 && !strcmp(argv[1], "http"))
		r = probe_http(argv[2], &err);
	else if (argc == 3 && !strcmp(argv[1], "tcp"))
		r = probe_tcp(argv[2], &err);
	else {
		fputs("usage: keelson probe cri [SOCKET] | http URL | tcp ADDRESS:PORT\n", stderr);
		return 2;
	}
	if (r < 0)
		fprintf(stderr, "%s\n", err.text);
	return r < 0;
}
