#include "cluster/render.h"

#include "unit/cluster/fixture.h"
#include "cluster/node_labels.h"
#include "cluster/static_pod.h"
#include "lib/yaml_write.h"

static const char *const releases[] = {"v1.20.2", "v1.24.17", "v1.27.16", "v1.30.14", "v1.33.4"};

static void golden(const char *version, const char *name, json_t *tree)
{
	struct buf text = {0};
	char path[200];

	snprintf(path, sizeof path, "cluster/%.4s/%s", version + 1, name);
	assert_int_equal(yaml_write(tree, &text), 0);
	assert_golden(path, buf_string(&text));
	json_decref(tree);
	buf_free(&text);
}

static void every_release_gets_its_own_manifests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
		struct fixture f;

		fixture_make(&f, releases[i]);
		golden(releases[i], "etcd.yaml", render_etcd(&f.cluster));
		golden(releases[i], "kube-apiserver.yaml", render_api_server(&f.cluster));
		golden(releases[i], "kube-controller-manager.yaml", render_controller_manager(&f.cluster));
		golden(releases[i], "kube-scheduler.yaml", render_scheduler(&f.cluster));
		golden(releases[i], "kube-proxy.yaml", render_kube_proxy(&f.cluster));
		golden(releases[i], "kube-proxy-config.yaml", render_kube_proxy_config(&f.cluster));
	}
}

static void a_pod_runs_as_the_user_it_is_given(void **state)
{
	json_t *root = static_security(0), *any = static_security(-1);
	(void)state;

	assert_true(json_is_integer(json_object_get(root, "runAsUser")));
	assert_null(json_object_get(any, "runAsUser"));
	json_decref(root);
	json_decref(any);
}

static void every_release_gets_its_own_kubelet_configuration(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
		struct buf env = {0};
		struct err err = {{0}};
		struct fixture f;
		char path[200];

		fixture_make(&f, releases[i]);
		golden(releases[i], "kubelet.yaml", render_kubelet_config(&f.cluster));
		assert_int_equal(render_kubelet_env(&f.cluster, &env, &err), 0);
		snprintf(path, sizeof path, "cluster/%.4s/kubelet.env", releases[i] + 1);
		assert_golden(path, buf_string(&env));
		buf_free(&env);
	}
}

static void a_control_plane_carries_the_taints_and_labels_of_its_release(void **state)
{
	static const struct {
		const char *version, *taints;
		size_t in_file; /* as many in the kubelet's configuration, which knows them from v1.23 on */
	} rows[] = {
		{"v1.20.2", "node-role.kubernetes.io/master=:NoSchedule,dedicated=db:NoExecute", 0},
		{"v1.24.0",
		 "node-role.kubernetes.io/master=:NoSchedule,node-role.kubernetes.io/"
		 "control-plane=:NoSchedule,dedicated=db:NoExecute",
		 3},
		{"v1.25.0", "node-role.kubernetes.io/control-plane=:NoSchedule,dedicated=db:NoExecute", 2},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *taint = (char *)"dedicated=db:NoExecute";
		json_t *tree;
		struct buf flag = {0};
		struct fixture f;

		fixture_config(&f);
		f.config.role = ROLE_CONTROL_PLANE;
		f.config.kubelet.taints = (struct string_list){&taint, 1};
		fixture_derive(&f, rows[i].version);
		assert_int_equal(node_taints_flag(&f.cluster, &flag), 0);
		assert_string_equal(buf_string(&flag), rows[i].taints);
		buf_free(&flag);
		tree = render_kubelet_config(&f.cluster);
		assert_int_equal(json_array_size(json_object_get(tree, "registerWithTaints")), rows[i].in_file);
		json_decref(tree);
	}
}

static void labels_that_a_kubelet_may_not_set_are_left_to_the_admin(void **state)
{
	struct fixture f;
	struct buf flag = {0};
	json_t *patch;
	char *text;
	(void)state;

	fixture_config(&f);
	f.config.kubelet.labels = json_pack("{s:s, s:s, s:s}", "disk", "fast", "node-role.kubernetes.io/db", "",
					    "topology.kubernetes.io/zone", "a");
	fixture_derive(&f, "v1.20.2");
	assert_int_equal(node_labels_flag(&f.cluster, &flag), 0);
	assert_string_equal(buf_string(&flag), "disk=fast,topology.kubernetes.io/zone=a");
	patch = node_labels_patch(&f.cluster);
	text = json_dumps(patch, JSON_COMPACT);
	assert_string_equal(text, "{\"metadata\":{\"labels\":{\"node-role.kubernetes.io/control-plane\":\"\","
				  "\"node-role.kubernetes.io/master\":\"\",\"node-role.kubernetes.io/db\":\"\"}}}");
	free(text);
	json_decref(patch);
	json_decref(f.config.kubelet.labels);
	buf_free(&flag);
}

static void extra_arguments_replace_ours_and_stand_in_order(void **state)
{
	struct fixture f;
	json_t *pod, *command;
	(void)state;

	fixture_config(&f);
	f.config.cluster.scheduler_args = json_pack("{s:s, s:s}", "v", "4", "leader-elect", "true");
	fixture_derive(&f, "v1.30.0");
	pod = render_scheduler(&f.cluster);
	command = json_object_get(json_array_get(json_object_get(json_object_get(pod, "spec"), "containers"), 0),
				  "command");
	assert_int_equal(json_array_size(command), 7);
	assert_string_equal(json_string_value(json_array_get(command, 0)), "/usr/lib/kubernetes/kube-scheduler");
	assert_string_equal(json_string_value(json_array_get(command, 5)), "--leader-elect=true");
	assert_string_equal(json_string_value(json_array_get(command, 6)), "--v=4");
	json_decref(pod);
	json_decref(f.config.cluster.scheduler_args);
}

static void the_users_kubelet_configuration_lies_over_ours(void **state)
{
	struct fixture f;
	json_t *tree, *eviction;
	(void)state;

	fixture_config(&f);
	f.config.kubelet.config = json_pack("{s:i, s:{s:s}, s:[s]}", "maxPods", 50, "evictionHard", "memory.available",
					    "300Mi", "clusterDNS", "10.96.0.10");
	fixture_derive(&f, "v1.30.0");
	tree = render_kubelet_config(&f.cluster);
	eviction = json_object_get(tree, "evictionHard");
	assert_int_equal(json_integer_value(json_object_get(tree, "maxPods")), 50);
	assert_string_equal(json_string_value(json_object_get(eviction, "memory.available")), "300Mi");
	assert_string_equal(json_string_value(json_object_get(eviction, "nodefs.available")), "10%");
	assert_int_equal(json_array_size(json_object_get(tree, "clusterDNS")), 1);
	json_decref(tree);
	json_decref(f.config.kubelet.config);
	f.config.kubelet.config = json_pack("{s:s, s:{s:s}}", "evictionHard", "none", "clusterDomain", "a", "b");
	fixture_derive(&f, "v1.30.0");
	tree = render_kubelet_config(&f.cluster);
	assert_string_equal(json_string_value(json_object_get(tree, "evictionHard")), "none");
	assert_string_equal(json_string_value(json_object_get(json_object_get(tree, "clusterDomain"), "a")), "b");
	json_decref(tree);
	json_decref(f.config.kubelet.config);
}

static void an_argument_that_would_fall_apart_into_words_is_refused(void **state)
{
	struct fixture f;
	struct buf env = {0};
	struct err err = {{0}};
	(void)state;

	fixture_config(&f);
	f.config.kubelet.labels = json_pack("{s:s}", "a", "x\"y");
	fixture_derive(&f, "v1.30.0");
	assert_int_equal(render_kubelet_env(&f.cluster, &env, &err), -EINVAL);
	assert_string_equal(err.text, "kubelet arguments: expected no \"\"\" in labels and taints");
	json_decref(f.config.kubelet.labels);
	buf_free(&env);
}

static void one_node_gets_a_bridge_and_none_means_none(void **state)
{
	struct fixture f;
	json_t *cni;
	char *text;
	(void)state;

	fixture_make(&f, "v1.20.2");
	cni = render_cni(&f.cluster);
	text = json_dumps(cni, JSON_INDENT(2));
	assert_golden("cluster/10-keelson.conflist", text);
	free(text);
	json_decref(cni);
	f.config.cluster.network = POD_NETWORK_NONE;
	assert_null(render_cni(&f.cluster));
	f.config.cluster.network = POD_NETWORK_VXLAN;
	cni = render_cni(&f.cluster);
	assert_non_null(cni); /* a node alone needs no more */
	json_decref(cni);
	f.config.role = ROLE_CONTROL_PLANE;
	assert_null(render_cni(&f.cluster));
	f.config.cluster.network = POD_NETWORK_BRIDGE;
	cni = render_cni(&f.cluster);
	assert_non_null(cni);
	json_decref(cni);
}

static void mirrors_are_asked_in_their_order(void **state)
{
	json_t *settings = json_pack("{s:[s, s]}", "mirrors", "https://mirror.example.org", "http://10.0.0.2:5000");
	struct buf toml = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(render_registry_hosts("docker.io", settings, &toml, &err), 0);
	assert_golden("cluster/hosts.toml", buf_string(&toml));
	buf_free(&toml);
	assert_int_equal(render_registry_hosts("../../etc", settings, &toml, &err), -EINVAL);
	assert_string_equal(err.text,
			    "containerd.registries: expected a registry such as docker.io, found \"../../etc\"");
	buf_free(&toml);
	json_decref(settings);
}

static void a_registry_or_mirror_that_is_none_is_refused(void **state)
{
	static const char *const registries[] = {"", "a/b", ".", "a b", "a\"b", "a\\b", "a\x7f"};
	static const char *const mirrors[] = {"http://a b", "http://a\"", "http://a\\", "http://a\n"};
	struct buf toml = {0};
	(void)state;

	for (size_t i = 0; i < sizeof registries / sizeof *registries; i++)
		assert_int_equal(render_registry_hosts(registries[i], NULL, &toml, NULL), -EINVAL);
	for (size_t i = 0; i < sizeof mirrors / sizeof *mirrors; i++) {
		json_t *settings = json_pack("{s:[s]}", "mirrors", mirrors[i]);

		assert_int_equal(render_registry_hosts("docker.io", settings, &toml, NULL), -EINVAL);
		json_decref(settings);
	}
	buf_free(&toml);
	assert_int_equal(render_registry_hosts("_default", NULL, &toml, NULL), 0);
	assert_int_equal(toml.len, 0);
	assert_int_equal(render_registry_hosts("10.0.0.1:5000", NULL, &toml, NULL), 0);
	assert_string_equal(buf_string(&toml), "server = \"https://10.0.0.1:5000\"\n");
	buf_free(&toml);
}

static void a_kubelet_may_set_its_own_labels_and_none_of_kubernetes(void **state)
{
	static const char *const own[] = {"disk",
					  "a.b/c",
					  "kubernetes.io",
					  "kubernetes.io/os",
					  "x.kubelet.kubernetes.io/a",
					  "kubelet.kubernetes.io/a",
					  "node.kubernetes.io/a",
					  "x.node.kubernetes.io/a",
					  "notkubernetes.io/a",
					  "notk8s.io/a"};
	static const char *const others[] = {"kubernetes.io/a",
					     "k8s.io/a",
					     "x.k8s.io/a",
					     "kubernetes.io/osx",
					     "node-role.kubernetes.io/db",
					     "notnode.kubernetes.io/a",
					     "xkubelet.kubernetes.io/node"};
	(void)state;

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (!node_label_is_kubelets(own[i]))
			fail_msg("%s: expected a label that the kubelet may set", own[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (node_label_is_kubelets(others[i]))
			fail_msg("%s: expected a label that only the admin may set", others[i]);
}

static void a_dedicated_control_plane_alone_is_kept_out_of_balancers(void **state)
{
	static const struct {
		const char *version;
		enum role role;
		bool kept_out;
	} rows[] = {{"v1.20.2", ROLE_CONTROL_PLANE, false},
		    {"v1.21.0", ROLE_CONTROL_PLANE, true},
		    {"v1.21.0", ROLE_SINGLE, false},
		    {"v1.33.0", ROLE_WORKER, false}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct fixture f;
		json_t *patch, *labels;

		fixture_config(&f);
		f.config.role = rows[i].role;
		f.config.cluster.endpoint = (char *)"10.0.2.15:6443";
		fixture_derive(&f, rows[i].version);
		patch = node_labels_patch(&f.cluster);
		labels = json_object_get(json_object_get(patch, "metadata"), "labels");
		assert_int_equal(json_object_get(labels, "node.kubernetes.io/exclude-from-external-load-balancers") !=
					 NULL,
				 rows[i].kept_out);
		json_decref(patch);
	}
}

static void a_taint_is_a_key_perhaps_a_value_and_an_effect(void **state)
{
	char *given[] = {(char *)"a=1:NoSchedule", (char *)"b:NoExecute", (char *)"c=:NoSchedule", (char *)"d:x=y"};
	struct buf flag = {0};
	struct fixture f;
	(void)state;

	fixture_config(&f);
	f.config.kubelet.taints = (struct string_list){given, 4};
	fixture_derive(&f, "v1.20.2");
	assert_int_equal(node_taints_flag(&f.cluster, &flag), 0);
	assert_string_equal(buf_string(&flag), "a=1:NoSchedule,b=:NoExecute,c=:NoSchedule,d=:x=y");
	buf_free(&flag);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_release_gets_its_own_manifests),
		cmocka_unit_test(a_pod_runs_as_the_user_it_is_given),
		cmocka_unit_test(every_release_gets_its_own_kubelet_configuration),
		cmocka_unit_test(a_control_plane_carries_the_taints_and_labels_of_its_release),
		cmocka_unit_test(labels_that_a_kubelet_may_not_set_are_left_to_the_admin),
		cmocka_unit_test(extra_arguments_replace_ours_and_stand_in_order),
		cmocka_unit_test(the_users_kubelet_configuration_lies_over_ours),
		cmocka_unit_test(an_argument_that_would_fall_apart_into_words_is_refused),
		cmocka_unit_test(one_node_gets_a_bridge_and_none_means_none),
		cmocka_unit_test(mirrors_are_asked_in_their_order),
		cmocka_unit_test(a_registry_or_mirror_that_is_none_is_refused),
		cmocka_unit_test(a_kubelet_may_set_its_own_labels_and_none_of_kubernetes),
		cmocka_unit_test(a_dedicated_control_plane_alone_is_kept_out_of_balancers),
		cmocka_unit_test(a_taint_is_a_key_perhaps_a_value_and_an_effect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
