#include "cluster/pods.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "unit/test.h"

static void add_pair(struct buf *container, unsigned number, const char *key, const char *value)
{
	struct buf pair = {0};

	protobuf_add_string(&pair, 1, key);
	protobuf_add_string(&pair, 2, value);
	protobuf_add_string(container, number, buf_string(&pair));
	buf_free(&pair);
}

static void add_container(struct buf *list, const char *id, const char *name, const char *uid, const char *grace)
{
	struct buf container = {0}, metadata = {0};

	protobuf_add_string(&container, 1, id);
	protobuf_add_string(&container, 2, "sandbox");
	protobuf_add_string(&metadata, 1, name);
	protobuf_add_string(&container, 3, buf_string(&metadata));
	protobuf_add_varint(&container, 6, 1);
	add_pair(&container, 8, "io.kubernetes.pod.uid", uid);
	add_pair(&container, 8, "io.kubernetes.pod.namespace", "default");
	add_pair(&container, 8, "io.kubernetes.pod.name", id);
	if (grace)
		add_pair(&container, 9, "io.kubernetes.pod.terminationGracePeriod", grace);
	protobuf_add_string(list, 1, buf_string(&container));
	buf_free(&container);
	buf_free(&metadata);
}

static void ordinary_pods_end_first_and_etcd_last(void **state)
{
	struct pod_containers containers = {0};
	struct buf list = {0};
	struct err err = {{0}};
	int grace;
	(void)state;

	add_container(&list, "c1", "app", "11111111-2222-3333-4444-555555555555", "5");
	add_container(&list, "c2", "side", "11111111-2222-3333-4444-555555555555", "5");
	add_container(&list, "c3", "etcd", "21111111-2222-3333-4444-555555555555", "600");
	add_container(&list, "c4", "etcd", "0123456789abcdef0123456789abcdef", NULL);
	add_container(&list, "c5", "kube-apiserver", "f123456789abcdef0123456789abcdef", "30");
	add_container(&list, "c6", "app", "31111111-2222-3333-4444-555555555555", NULL);
	add_container(&list, "c7", "side", "31111111-2222-3333-4444-555555555555", NULL);
	if (pods_read(protobuf_of(list.data, list.len), &containers, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(containers.count, 7);
	assert_int_equal(pods_count(&containers, TURN_ORDINARY, &grace), 3);
	assert_int_equal(grace, PODS_GRACE_MAX);
	assert_int_equal(pods_count(&containers, TURN_CONTROL_PLANE, &grace), 1);
	assert_int_equal(grace, CONTROL_PLANE_GRACE_MAX);
	assert_string_equal(containers.items[2].pod_namespace, "default");
	assert_string_equal(containers.items[2].pod_name, "c3");
	assert_int_equal(pods_count(&containers, TURN_ETCD, &grace), 1);
	assert_string_equal(containers.items[3].id, "c4");
	pods_free(&containers);
	buf_free(&list);
}

static void a_pod_has_as_long_as_it_says(void **state)
{
	struct buf list = {0}, container = {0}, metadata = {0};
	struct pod_containers containers = {0};
	int grace;
	(void)state;

	protobuf_add_string(&container, 1, "c1");
	protobuf_add_string(&metadata, 1, "app");
	protobuf_add_string(&container, 3, buf_string(&metadata));
	add_pair(&container, 8, "io.kubernetes.pod.uid", "11111111-2222-3333-4444-555555555555");
	add_pair(&container, 9, "io.kubernetes.pod.terminationGracePeriod", "7");
	add_pair(&container, 9, "io.kubernetes.container.restartCount", "9");
	add_pair(&container, 10, "io.kubernetes.pod.terminationGracePeriod", "8"); /* neither label nor annotation */
	protobuf_add_string(&list, 1, buf_string(&container));
	assert_int_equal(pods_read(protobuf_of(list.data, list.len), &containers, NULL), 0);
	assert_int_equal(pods_count(&containers, TURN_ORDINARY, &grace), 1);
	assert_int_equal(grace, 7);
	pods_free(&containers);
	buf_free(&list);
	add_container(&list, "c1", "app", "11111111-2222-3333-4444-555555555555", NULL);
	assert_int_equal(pods_read(protobuf_of(list.data, list.len), &containers, NULL), 0);
	assert_int_equal(pods_count(&containers, TURN_ORDINARY, &grace), 1);
	assert_int_equal(grace, 30);
	pods_free(&containers);
	buf_free(&list);
	buf_free(&container);
	buf_free(&metadata);
}

static void what_is_no_list_is_told(void **state)
{
	struct pod_containers containers = {0};
	struct err err = {{0}};
	(void)state;

	assert_int_equal(pods_read(protobuf_of("\x0a\x7f", 2), &containers, &err), -EBADMSG);
	assert_string_equal(err.text, "CRI: expected a list of containers, found something else");
	pods_free(&containers);
}

static void the_pods_that_are_waited_for_are_named(void **state)
{
	static const struct pod_container containers[] = {
		{.pod_uid = "1", .pod_namespace = "default", .pod_name = "one", .grace = 30},
		{.pod_uid = "1", .pod_namespace = "default", .pod_name = "one", .grace = 5},
		{.pod_uid = "2", .pod_namespace = "a", .pod_name = "two", .grace = 7},
		{.pod_uid = "3", .pod_namespace = "b", .pod_name = "three", .grace = 7},
		{.pod_uid = "4", .pod_namespace = "c", .pod_name = "four", .grace = 7},
	};
	static const struct {
		char waiting[6]; /* a mark per container */
		const char *text;
	} cases[] = {
		{"-----", ""},
		{"xx---", "waiting for pod default/one (12 s of its 30 s)"},
		{"-x---", "waiting for pod default/one (12 s of its 5 s)"},
		{"-xx--", "waiting for 2 pods: default/one, a/two (12 s of their 7 s)"},
		{"xxxxx", "waiting for 4 pods: default/one, a/two, b/three, … (12 s of their 30 s)"},
	};
	const struct pod_container *some[5];
	(void)state;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct grpc_call calls[5] = {0};
		char text[200];

		for (size_t i = 0; i < 5; i++) {
			some[i] = &containers[i];
			calls[i].state = cases[k].waiting[i] == 'x' ? GRPC_WAITING : GRPC_ANSWERED;
		}
		pods_waiting_text(some, calls, 5, 12, text, sizeof text);
		assert_string_equal(text, cases[k].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_pods_end_first_and_etcd_last),
		cmocka_unit_test(a_pod_has_as_long_as_it_says),
		cmocka_unit_test(what_is_no_list_is_told),
		cmocka_unit_test(the_pods_that_are_waited_for_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
