#include "cluster/node.h"

#include <sys/stat.h>

#include "cluster/documents.h"
#include "lib/manifest_identity.h"
#include "cluster/node_bootstrap.h"
#include "lib/file.h"
#include "lib/process.h"
#include "lib/yaml_write.h"
#include "unit/cluster/fixture.h"

static char root[] = "/tmp/keelson-node-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[200];
	struct err err;

	snprintf(path, sizeof path, "%s/%s", root, name);
	if (file_write_atomic(path, text, strlen(text), 0600, &err) < 0)
		fail_msg("%s", err.text);
}

static void get(const char *name, struct buf *text)
{
	char path[200];
	struct err err;

	snprintf(path, sizeof path, "%s/%s", root, name);
	if (file_read(path, 100000, text, &err) < 0)
		fail_msg("%s", err.text);
}

static struct node_status status_of(const char *json)
{
	json_t *node = json_loads(json, 0, NULL);
	struct node_status status;

	assert_non_null(node);
	node_status_read(node, "boot-2", &status);
	json_decref(node);
	return status;
}

static void only_this_boots_ready_counts(void **state)
{
	struct node_status status;
	(void)state;

	status = status_of("{\"status\":{\"nodeInfo\":{\"bootID\":\"boot-1\"},\"conditions\":[{\"type\":\"Ready\","
			   "\"status\":\"True\"}]}}");
	assert_true(status.exists && !status.ready);
	assert_string_equal(status.message, "the kubelet has not reported since this boot");
	status = status_of("{\"status\":{\"nodeInfo\":{\"bootID\":\"boot-2\"},\"conditions\":[{\"type\":\"Ready\","
			   "\"status\":\"False\","
			   "\"message\":\"network plugin\\nnot ready\"}]}}");
	assert_false(status.ready);
	assert_string_equal(status.message, "network plugin not ready");
	status = status_of("{\"status\":{\"nodeInfo\":{\"bootID\":\"boot-2\"},\"conditions\":[{\"type\":\"Ready\","
			   "\"status\":\"False\",\"message\":\"\",\"reason\":\"KubeletNotReady\"}]}}");
	assert_string_equal(status.message, "KubeletNotReady");
	status = status_of("{\"status\":{\"nodeInfo\":{\"bootID\":\"boot-2\"},\"conditions\":[{\"type\":\"Ready\","
			   "\"status\":\"True\"}]}}");
	assert_true(status.ready);
	status = status_of(
		"{\"status\":{\"nodeInfo\":{\"bootID\":\"boot-2\"},\"conditions\":[{\"status\":\"False\"},"
		"{\"type\":\"DiskPressure\",\"status\":\"False\"},{\"type\":\"Ready\",\"status\":\"True\"}]}}");
	assert_true(status.ready);
	status = status_of("{\"metadata\":{}}");
	assert_false(status.ready);
}

static bool static_pod_runs(const char *json)
{
	json_t *pod = json_loads(json, 0, NULL);
	bool runs;

	assert_non_null(pod);
	runs = node_static_pod_runs(pod, "metadata:\n  annotations:\n    keelson.io/rendered: \"b2\"\n");
	json_decref(pod);
	return runs;
}

static void only_a_pod_of_this_boots_manifest_runs(void **state)
{
	(void)state;
	assert_true(static_pod_runs("{\"metadata\":{\"annotations\":{\"keelson.io/rendered\":\"b2\"}},"
				    "\"status\":{\"phase\":\"Running\"}}"));
	assert_false(static_pod_runs("{\"metadata\":{\"annotations\":{\"keelson.io/rendered\":\"b1\"}},"
				     "\"status\":{\"phase\":\"Running\"}}"));
	assert_false(static_pod_runs("{\"metadata\":{\"annotations\":{\"keelson.io/rendered\":\"b2\"}},"
				     "\"status\":{\"phase\":\"Pending\"}}"));
	assert_true(static_pod_runs("{\"metadata\":{},\"status\":{\"phase\":\"Running\"}}")); /* the user's own */
	assert_false(static_pod_runs("{}"));
}

static void held_manifests_are_handed_over_once(void **state)
{
	char held[100], manifests[100];
	struct buf text = {0};
	struct err err = {{0}};
	(void)state;

	snprintf(held, sizeof held, "%s/held", root);
	snprintf(manifests, sizeof manifests, "%s/manifests", root);
	assert_int_equal(node_handover(held, manifests, &err), 0);
	put("held/kube-scheduler.yaml", "a");
	put("held/kube-controller-manager.yaml", "b");
	put("manifests/etcd.yaml", "c");
	assert_int_equal(node_handover(held, manifests, &err), 2);
	assert_int_equal(node_handover(held, manifests, &err), 0);
	get("manifests/kube-scheduler.yaml", &text);
	assert_string_equal(buf_string(&text), "a");
	buf_free(&text);
}

static void a_manifest_that_was_handed_over_is_renewed_where_it_is(void **state)
{
	struct documents documents = {.count = 2};
	struct buf text = {0};
	char path[200];
	struct err err = {{0}};
	(void)state;

	strcpy(documents.items[0].path, "/etc/kubernetes/held/a.yaml");
	strcpy(documents.items[1].path, "/etc/kubernetes/held/b.yaml");
	documents.items[0].mode = documents.items[1].mode = 0600;
	buf_add_string(&documents.items[0].text, "new a");
	buf_add_string(&documents.items[1].text, "new b");
	put("etc/kubernetes/manifests/a.yaml", "old a");
	assert_int_equal(documents_write(&documents, root, &err), 0);
	get("etc/kubernetes/manifests/a.yaml", &text);
	get("etc/kubernetes/held/b.yaml", &text);
	assert_string_equal(buf_string(&text), "new anew b");
	snprintf(path, sizeof path, "%s/etc/kubernetes/held/a.yaml", root);
	assert_int_equal(access(path, F_OK), -1);
	buf_free(&text);
	documents_free(&documents);
}

static void the_kubeconfig_leaves_by_its_port_whole_and_ended(void **state)
{
	char sys[100], dev[100], kubeconfig[100];
	struct buf text = {0};
	struct err err = {{0}};
	(void)state;

	snprintf(sys, sizeof sys, "%s/ports", root);
	snprintf(dev, sizeof dev, "%s/dev", root);
	snprintf(kubeconfig, sizeof kubeconfig, "%s/admin.conf", root);
	put("admin.conf", "apiVersion: v1\n");
	assert_int_equal(node_write_kubeconfig(sys, dev, kubeconfig, &err), 0);
	put("ports/vport1p1/name", "org.qemu.guest_agent.0\n");
	put("ports/vport1p2/name", "keelson.kubeconfig.other\n");
	assert_int_equal(node_write_kubeconfig(sys, dev, kubeconfig, &err), 0);
	put("ports/vport1p3/name", "keelson.kubeconfig\n");
	put("dev/vport1p3", "");
	assert_int_equal(node_write_kubeconfig(sys, dev, kubeconfig, &err), 1);
	get("dev/vport1p3", &text);
	assert_int_equal(text.len, 16);
	assert_memory_equal(text.data, "apiVersion: v1\n", 16);
	buf_free(&text);
}

static void certificates_are_renewed_at_half_of_their_year(void **state)
{
	int64_t now = 1000000, half = CERTIFICATE_SECONDS / 2;
	(void)state;

	assert_true(node_renewal_due(now + CERTIFICATE_SECONDS, now) > 0);
	assert_int_equal(node_renewal_due(now + CERTIFICATE_SECONDS, now + half), 0);
	assert_true(node_renewal_due(now + CERTIFICATE_SECONDS, now + 2 * CERTIFICATE_SECONDS) < 0);
}

static void check_identity(const char *text, int expected, const char *shown)
{
	struct manifest_identity i;
	struct err err = {{0}};
	char got[600];
	int r = manifest_identity_read(text, strlen(text), &i, &err);

	snprintf(got, sizeof got, "%s|%s|%s|%s", i.api_version, i.kind, i.namespace, i.name);
	assert_int_equal(r, expected);
	assert_string_equal(r < 0 ? err.text : got, shown);
}

static void a_manifest_says_what_it_is(void **state)
{
	(void)state;
	check_identity(
		"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  labels: {name: no, namespace: no}\n  name: web\n"
		"  namespace: shop\nspec:\n  template:\n    metadata: {name: inner}\n    kind: x\n",
		1, "apps/v1|Deployment|shop|web");
	check_identity("{\"metadata\":{\"name\":\"a:b\"},\"kind\":\"ClusterRole\",\"apiVersion\":\"rbac.authorization."
		       "k8s.io/v1\"}",
		       1, "rbac.authorization.k8s.io/v1|ClusterRole||a:b");
	check_identity("# nothing but a comment\n", 0, "|||");
	check_identity("---\n", 0, "|||");
	check_identity("kind: Pod\nmetadata: {name: a}\n", -EINVAL,
		       "expected apiVersion and kind, found no apiVersion");
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: {generateName: a}\n", -EINVAL,
		       "Pod: expected metadata.name, found none");
	check_identity("apiVersion: v1\nkind: List\nitems: []\n", -EINVAL,
		       "kind List: expected its items as documents of their own");
	check_identity("apiVersion: v1\nitems: []\nkind: PodList\n", -EINVAL,
		       "kind PodList: expected its items as documents of their own");
	check_identity("apiVersion: v1\nkind: List\nmetadata: {name: a}\n", -EINVAL,
		       "kind List: expected its items as documents of their own");
	check_identity("apiVersion: example.org/v1\nkind: AllowList\nmetadata: {name: a}\nspec: {items: []}\n", 1,
		       "example.org/v1|AllowList||a");
	/* RBAC takes any name that can be part of a path. */
	check_identity("apiVersion: v1\nkind: ClusterRole\nmetadata: {name: a@b.org~c+d=e}\n", 1,
		       "v1|ClusterRole||a@b.org~c+d=e");
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: {name: ../../x}\n", -EINVAL,
		       "3:18: metadata.name: found \"../../x\"");
	/* A name becomes part of a path: one that leads elsewhere is none. */
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: {name: ..}\n", -EINVAL,
		       "3:18: metadata.name: found \"..\"");
	check_identity("apiVersion: ../v1\nkind: Pod\nmetadata: {name: a}\n", -EINVAL,
		       "1:13: apiVersion: found \"../v1\"");
	check_identity("apiVersion: apps/.\nkind: Pod\nmetadata: {name: a}\n", -EINVAL,
		       "1:13: apiVersion: found \"apps/.\"");
	check_identity("apiVersion: v1\nkind: ClusterRole\nmetadata: {name: a..b.}\n", 1, "v1|ClusterRole||a..b.");
	/* Only a map behind the key metadata is it. */
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: [name, a]\n", -EINVAL,
		       "Pod: expected metadata.name, found none");
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {name: b}\n", 1, "v1|Pod||a");
	check_identity("apiVersion: v1\nkind: Pod\nnamespace: b\nname: c\nmetadata: {name: a}\n", 1, "v1|Pod||a");
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {name: b, namespace: c}}\n", 1,
		       "v1|Pod||a");
	/* An alias is a value, or a key, as its text would be. */
	check_identity("apiVersion: v1\nkind: Pod\nx: &x y\nz: *x\nmetadata: {name: a, labels: {b: *x}}\n", 1,
		       "v1|Pod||a");
	check_identity("x: &x y\n*x : apiVersion\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n", 1, "v1|Pod||a");
	check_identity("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n? {name: b}\n: c\n", 1, "v1|Pod||a");
	check_identity("a: [\n", -EINVAL, "2:1: did not find expected node content");
	check_identity("apiVersion: v1\nmetadata: {name: a}\n", -EINVAL, "expected apiVersion and kind, found no kind");
}

static void a_namespace_is_as_long_as_it_may_be(void **state)
{
	(void)state;
	for (int len = 63; len <= 64; len++) {
		char text[200], shown[100];

		snprintf(text, sizeof text, "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: %0*d}\n", len,
			 1);
		snprintf(shown, sizeof shown, len == 63 ? "v1|Pod|%0*d|a" : "3:32: metadata.namespace: too long", len,
			 1);
		check_identity(text, len == 63 ? 1 : -EINVAL, shown);
	}
}

static void documents_are_told_apart_by_their_separators(void **state)
{
	const char *text = "# head\n---\na: 1\n--- # two\nb: |\n  ---\n  x\n---\n", *document;
	size_t len, count = 0;
	(void)state;

	while ((text = manifest_next(text, &len, &document))) {
		static const char *const starts[] = {"# head\n", "---\na: 1\n", "--- # two\nb: |\n  ---\n  x\n",
						     "---\n"};

		assert_true(count < 4);
		assert_int_equal(len, strlen(starts[count]));
		assert_memory_equal(document, starts[count], len);
		count++;
	}
	assert_int_equal(count, 4);
}

static void a_new_cluster_holds_what_kubeadm_join_reads(void **state)
{
	static const char *const releases[] = {"v1.20.2", "v1.33.4"};
	(void)state;

	for (size_t i = 0; i < 2; i++) {
		struct buf text = {0};
		struct fixture f;
		json_t *documents, *document;
		char path[100];
		size_t j;

		fixture_config(&f);
		f.config.cluster.token = (char *)"abcdef.0123456789abcdef";
		fixture_derive(&f, releases[i]);
		documents = bootstrap_documents(&f.cluster, "-----BEGIN CERTIFICATE-----\n");
		json_array_foreach (documents, j, document) {
			buf_add_string(&text, "---\n");
			assert_int_equal(yaml_write(document, &text), 0);
		}
		snprintf(path, sizeof path, "cluster/%.4s/bootstrap.yaml", releases[i] + 1);
		assert_golden(path, buf_string(&text));
		json_decref(documents);
		buf_free(&text);
	}
}

static void the_checks_that_fail_are_named(void **state)
{
	char text[64];
	(void)state;

	node_api_unready("[+]ping ok\n[-]etcd failed: reason withheld\n[-]poststarthook/rbac/bootstrap-roles failed: "
			 "x\nreadyz check failed\n",
			 text, sizeof text);
	assert_string_equal(text, "etcd, poststarthook/rbac/bootstrap-roles");
	node_api_unready("no such thing", text, sizeof text);
	assert_string_equal(text, "");
	node_api_unready("[-]a-very-long-name-that-goes-on [-]another-very-long-name-that-goes-on [-]b", text,
			 sizeof text);
	assert_int_equal(strlen(text), 63);
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int unmake(void **state)
{
	const char *const argv[] = {"rm", "-rf", root, NULL};
	struct process process = {.argv = argv, .timeout_ms = 10000};
	(void)state;

	return process_run(&process, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_this_boots_ready_counts),
		cmocka_unit_test(only_a_pod_of_this_boots_manifest_runs),
		cmocka_unit_test(held_manifests_are_handed_over_once),
		cmocka_unit_test(a_manifest_that_was_handed_over_is_renewed_where_it_is),
		cmocka_unit_test(the_kubeconfig_leaves_by_its_port_whole_and_ended),
		cmocka_unit_test(certificates_are_renewed_at_half_of_their_year),
		cmocka_unit_test(a_manifest_says_what_it_is),
		cmocka_unit_test(a_namespace_is_as_long_as_it_may_be),
		cmocka_unit_test(documents_are_told_apart_by_their_separators),
		cmocka_unit_test(the_checks_that_fail_are_named),
		cmocka_unit_test(a_new_cluster_holds_what_kubeadm_join_reads),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
