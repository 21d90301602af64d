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
	assert_int_equal(pods_count(&containers, TURN_ETCD, &grace), 1);
	assert_string_equal(containers.items[3].id, "c4");
	pods_free(&containers);
	buf_free(&list);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ordinary_pods_end_first_and_etcd_last),
		cmocka_unit_test(what_is_no_list_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
