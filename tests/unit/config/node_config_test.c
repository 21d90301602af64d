#include "config/node_config.h"

#include <sys/stat.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static char directory[] = "/tmp/keelson-node-XXXXXX";
static char path[100];

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof path, "%s/node.json", directory);
	return 0;
}

static void what_is_saved_is_loaded(void **state)
{
	_cleanup_(node_config_freep) struct node_config *first = NULL, *second = NULL;
	_cleanup_(buf_free) struct buf saved = {0}, again = {0};
	struct stat st;
	struct err err;
	(void)state;

	assert_int_equal(node_config_load("tests/data/config/node.json", &first, &err), 0);
	assert_int_equal(node_config_save(path, first, &err), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(node_config_load(path, &second, &err), 0);
	assert_string_equal(second->hostname, "cp-1");
	assert_int_equal(second->role, ROLE_CONTROL_PLANE);
	assert_int_equal(second->cluster.network, POD_NETWORK_ROUTES);
	assert_int_equal(second->cluster.cert_sans.count, 2);
	assert_string_equal(second->cluster.cert_sans.items[1], "10.0.0.10");
	assert_null(second->cluster.ca_key);
	assert_true(second->ntp.enabled);
	assert_int_equal(second->on_failure, ON_FAILURE_REVERT);
	assert_string_equal(json_string_value(json_object_get(second->kubelet.labels, "zone")), "a");

	assert_int_equal(file_read(path, 100000, &saved, &err), 0);
	assert_int_equal(file_read("tests/data/config/node.json", 100000, &again, &err), 0);
	assert_string_equal(buf_string(&saved), buf_string(&again));
}

/* A file with the fewest fields, and more of the cluster's or of its own. */
#define GOOD(cluster, more)                                                                                            \
	"{\"instance_id\":\"i\",\"hostname\":\"h\",\"source\":\"s\",\"role\":\"single\","                              \
	"\"cluster\":{" cluster "\"name\":\"n\",\"pod_cidr\":\"p\",\"service_cidr\":\"s\",\"dns_domain\":\"d\","       \
	"\"network\":\"bridge\"},\"on_failure\":\"keep\"" more "}"

static void fields_left_out_are_empty(void **state)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	static const char text[] = GOOD("", "");
	struct err err;
	(void)state;

	assert_int_equal(file_write_atomic(path, text, sizeof text - 1, 0600, &err), 0);
	assert_int_equal(node_config_load(path, &config, &err), 0);
	assert_int_equal(json_object_size(config->kubelet.labels), 0);
	assert_true(json_is_array(config->cluster.manifests));
	assert_int_equal(config->kubelet.taints.count, 0);
	assert_false(config->console_shell);
}

static void a_damaged_file_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{"{\"instance_id\":\"i\"", ":1:18: '}' expected near end of file"},
		{"{\"instance_id\":7}", ": instance_id: expected a string"},
		{"{}", ": instance_id: expected a string"},
		{"{\"instance_id\":\"i\",\"hostname\":\"h\",\"source\":\"s\",\"role\":\"boss\"}",
		 ": role: expected a known word"},
		{GOOD("\"cert_sans\":[\"a\",7],", ""), ": cluster.cert_sans: expected an array of strings"},
		{GOOD("\"cert_sans\":\"a\",", ""), ": cluster.cert_sans: expected an array of strings"},
		{GOOD("\"manifests\":{},", ""), ": cluster.manifests: expected an array"},
		{GOOD("\"ca_key\":7,", ""), ": cluster.ca_key: expected a string"},
		{GOOD("", ",\"kubelet\":{\"labels\":[]}"), ": kubelet.labels: expected an object"},
		{GOOD("", ",\"ntp\":{\"enabled\":1}"), ": ntp.enabled: expected true or false"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct node_config *config = NULL;
		struct err err;

		assert_int_equal(file_write_atomic(path, cases[i].text, strlen(cases[i].text), 0600, &err), 0);
		assert_int_equal(node_config_load(path, &config, &err), -EINVAL);
		assert_string_equal(err.text + strlen(path), cases[i].error);
		assert_null(config);
	}
}

static void what_was_read_is_told_with_0(void **state)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	json_t *top = json_load_file("tests/data/config/node.json", 0, NULL);
	struct err err;
	(void)state;

	assert_int_equal(node_config_from_json(top, &config, &err), 0);
	assert_string_equal(config->hostname, "cp-1");
	json_decref(top);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_saved_is_loaded),
		cmocka_unit_test(fields_left_out_are_empty),
		cmocka_unit_test(a_damaged_file_is_refused_with_its_place),
		cmocka_unit_test(what_was_read_is_told_with_0),
	};
	return cmocka_run_group_tests(tests, make, NULL);
}
