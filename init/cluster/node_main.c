/* keelson node: from "the kubelet runs" to "the node is Ready", and then the care of its certificates.
 *
 * Order: wait for the API server; hand over the controller manager and the scheduler (before it they would only crash);
 * kubeconfig to the host; RBAC and tokens; labels; Ready; the user's manifests; the control plane's pods shown as
 * Running. Polls are few and small: the machine
 * may be an emulated one, where every request costs the control plane it waits for.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/node.h"
#include "cluster/node_bootstrap.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/story.h"

#define API_SECONDS 600 /* as long as its startup probe lets it try */
#define READY_SECONDS 600
#define POLL_MS 500
#define READY_POLL_MS 1000
#define PODS_SECONDS 240
#define PODS_POLL_MS 3000
#define CARE_SECONDS 60
#define MANIFEST_SECONDS 30
#define STATUS_SECONDS 300
#define PORTS "/sys/class/virtio-ports"

struct node {
	struct node_config *config;
	struct cluster cluster;
	struct node_api api;
	bool kubeconfig_told, bootstrapped, labelled, was_ready;
	size_t manifests_done;
	int64_t manifests_tried; /* seconds of CLOCK_BOOTTIME */
	bool manifests_failed;	 /* told already */
};

static void node_release(struct node *node)
{
	node_api_close(&node->api);
	node_config_free(node->config);
}

static int connect_api(struct node *node, struct err *err)
{
	static const struct node_api_identity admin = {PKI_DIRECTORY "/ca.crt", PKI_DIRECTORY "/keelson.crt",
						       PKI_DIRECTORY "/keelson.key"};
	static const struct node_api_identity kubelet = {PKI_DIRECTORY "/ca.crt",
							 "/var/lib/kubelet/pki/kubelet-client-current.pem",
							 "/var/lib/kubelet/pki/kubelet-client-current.pem"};
	char server[300];

	node_api_close(&node->api);
	cluster_local_server(&node->cluster, server, sizeof server);
	return node_api_open(server, cluster_has_control_plane(&node->cluster) ? &admin : &kubelet, &node->api, err);
}

/* Certificates that ended while we wait (the clock was set forward) must not make the waiting endless. */
static int renew_when_due(struct node *node, bool moved, struct err *err)
{
	int64_t seconds = 1;
	int r;

	if (!cluster_has_control_plane(&node->cluster))
		return 0;
	r = node_renewal_check(&seconds, err);
	if (r < 0 || (seconds > 0 && !moved))
		return r;
	r = node_renew(node->config, &node->cluster, err);
	if (r < 0)
		return r;
	story("certificates renewed: %s", moved ? "the node's address changed" : "half of their time is over");
	node->kubeconfig_told = false;
	return connect_api(node, err);
}

static int await_api(struct node *node, struct err *err)
{
	char what[340] = "";
	struct node_wait wait;
	const char *host = strstr(node->api.server, "://");
	struct err reason = {{0}};

	snprintf(what, sizeof what, "the API server at %s", host ? host + 3 : node->api.server);
	wait = node_wait_start(what, API_SECONDS);
	for (;;) {
		int answer = node_api_ready(&node->api, &reason);
		/* Refused before it listens, silent before it serves: expected. Anything else is worth telling. */
		bool expected = answer == -ECONNREFUSED || answer == -ETIMEDOUT;
		int r;

		if (!answer)
			return 0;
		r = renew_when_due(node, false, err);
		if (r < 0)
			return r;
		if (!node_wait_again(&wait, POLL_MS, expected ? NULL : reason.text))
			return err_set(err, ETIMEDOUT, "%s did not answer within %d min: %s", what, API_SECONDS / 60,
				       reason.text);
	}
}

static void offer_kubeconfig(struct node *node)
{
	struct err err = {{0}};
	int r;

	if (node->kubeconfig_told || !cluster_has_control_plane(&node->cluster))
		return;
	r = node_write_kubeconfig(PORTS, "/dev", KUBERNETES_DIRECTORY "/admin.conf", &err);
	if (r == 1)
		story("kubeconfig written to port keelson.kubeconfig");
	else if (r < 0 && r != -EAGAIN)
		story("kubeconfig: %s", err.text);
	node->kubeconfig_told = r != -EAGAIN;
}

/* What needs the API server and may fail for a moment: done in passing while we wait for Ready. */
static int set_up(struct node *node, bool exists, struct err *err)
{
	int r = 0;

	if (!cluster_has_control_plane(&node->cluster))
		return 0;
	if (!node->bootstrapped) {
		r = node_bootstrap(&node->api, &node->cluster, err);
		node->bootstrapped = !r;
	}
	if (!r && !node->labelled && exists) {
		r = node_label(&node->api, &node->cluster, err);
		node->labelled = !r;
	}
	return r;
}

/* The user's manifests, which may hold the very CNI that the node needs to become Ready. One that fails (its URL is not
 * reachable yet) is tried again, and never keeps the node from being Ready. */
static void apply_manifests(struct node *node)
{
	struct err err = {{0}};
	size_t before = node->manifests_done;

	if (!node->bootstrapped || before == json_array_size(node->config->cluster.manifests))
		return;
	if (node->manifests_tried && node_seconds() - node->manifests_tried < MANIFEST_SECONDS)
		return;
	if (node_apply_manifests(&node->api, &node->cluster, &node->manifests_done, &err) < 0) {
		if (!node->manifests_failed || node->manifests_done != before)
			story("%s; tried again", err.text);
		node->manifests_failed = true;
	} else {
		story("manifests applied: %zu", node->manifests_done);
	}
	node->manifests_tried = node_seconds();
}

static int await_ready(struct node *node, struct err *err)
{
	char what[300] = "";
	struct node_wait wait;
	struct node_status status = {0};
	struct err reason;

	snprintf(what, sizeof what, "node %s to be Ready", node->cluster.node_name);
	wait = node_wait_start(what, READY_SECONDS);
	for (;;) {
		bool done;
		int r;

		reason.text[0] = 0;
		r = node_status_get(&node->api, node->cluster.node_name, &status, &reason);
		if (!r)
			r = set_up(node, status.exists, &reason);
		offer_kubeconfig(node);
		done = !r && status.ready && (node->labelled || !cluster_has_control_plane(&node->cluster));
		if (done)
			return 0;
		apply_manifests(node);
		if (!node_wait_again(&wait, READY_POLL_MS, r < 0 ? reason.text : status.message))
			return err_set(err, ETIMEDOUT, "%s was not within %d min: %s", what, READY_SECONDS / 60,
				       r < 0 ? reason.text : status.message);
	}
}

/* The node is Ready, but who looks now may not see each of its pods yet. Nothing depends on it: told, and left. */
static void await_static_pods(struct node *node)
{
	struct node_wait wait = node_wait_start("the control plane's pods to be shown as Running", PODS_SECONDS);
	struct node_static_pods pods;

	if (!cluster_has_control_plane(&node->cluster))
		return;
	for (;;) {
		struct err err = {{0}};
		int r = node_static_pods(&node->api, MANIFEST_DIRECTORY, node->cluster.node_name, &pods, &err);

		if (!r && !pods.missing[0]) {
			story("%u pods of the control plane Running", pods.count);
			return;
		}
		offer_kubeconfig(node);
		if (!node_wait_again(&wait, PODS_POLL_MS, r < 0 ? err.text : pods.missing)) {
			story("pods of the control plane not Running within %d min: %s", PODS_SECONDS / 60,
			      r < 0 ? err.text : pods.missing);
			return;
		}
	}
}

static bool address_changed(const struct node *node)
{
	struct cluster now;
	struct err err;

	return cluster_gather(node->config, &now, &err) == 0 && strcmp(now.node_ip, node->cluster.node_ip) != 0;
}

static void watch_status(struct node *node, int64_t *asked)
{
	struct node_status status;
	struct err err = {{0}};

	if (node_seconds() - *asked < STATUS_SECONDS)
		return;
	*asked = node_seconds();
	if (node_status_get(&node->api, node->cluster.node_name, &status, &err) < 0)
		snprintf(status.message, sizeof status.message, "%.290s", err.text), status.ready = false;
	if (status.ready != node->was_ready)
		story(status.ready ? "%s Ready again%.0s" : "%s not Ready: %s", node->cluster.node_name,
		      status.message);
	node->was_ready = status.ready;
}

static _Noreturn void take_care(struct node *node)
{
	int64_t asked = node_seconds();
	char told[1024] = "";

	for (;;) {
		struct err err = {{0}};

		/* A host that comes late still gets the kubeconfig, within 2 s. */
		for (int i = 0; i < CARE_SECONDS / 2 && !node->kubeconfig_told; i++) {
			node_sleep_ms(2000);
			offer_kubeconfig(node);
		}
		if (node->kubeconfig_told)
			node_sleep_ms(CARE_SECONDS * 1000);
		if (renew_when_due(node, address_changed(node), &err) < 0 && strcmp(told, err.text)) {
			snprintf(told, sizeof told, "%s", err.text);
			story("%s", err.text);
		}
		apply_manifests(node);
		watch_status(node, &asked);
	}
}

static int bring_up(struct node *node, struct err *err)
{
	int r = await_api(node, err);

	if (!r)
		r = node_handover(HELD_DIRECTORY, MANIFEST_DIRECTORY, err);
	if (r < 0)
		return r;
	if (r > 0)
		story("API server ready, controller manager and scheduler handed over");
	r = await_ready(node, err);
	if (r < 0)
		return r;
	story("%s Ready, Kubernetes %s", node->cluster.node_name, node->cluster.version.text);
	node->was_ready = true;
	notify_ready();
	apply_manifests(node);
	await_static_pods(node);
	return 0;
}

int node_main(int argc, char **argv)
{
	_cleanup_(node_release) struct node node = {0};
	struct err err = {{0}};
	int r;

	(void)argv;
	if (argc > 1) {
		fputs("usage: keelson node\n", stderr);
		return 2;
	}
	r = node_config_load(NODE_CONFIG_PATH, &node.config, &err);
	if (!r)
		r = cluster_gather(node.config, &node.cluster, &err);
	if (!r)
		r = connect_api(&node, &err);
	if (!r)
		r = bring_up(&node, &err);
	if (r < 0) {
		story("%s", err.text);
		return 1;
	}
	take_care(&node);
}
