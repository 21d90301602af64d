#include "unit/cluster/fixture.h"

#include "cluster/version_table.h"

static int derive_with(const char *version, const char *services, const char *pods, struct fixture *f, struct err *err)
{
	struct cluster_facts facts = {version, "10.0.2.15", FIXTURE_BUILD_TIME, 0, "1", false};

	fixture_config(f);
	if (services)
		f->config.cluster.service_cidr = (char *)(uintptr_t)services;
	if (pods)
		f->config.cluster.pod_cidr = (char *)(uintptr_t)pods;
	return cluster_derive(&f->config, &facts, &f->cluster, err);
}

static void a_release_outside_the_table_is_refused_with_the_range(void **state)
{
	static const char *const none[] = {"",		 "v",		"v1",	      "v1.",	     "v.20.2",
					   "v1..2",	 "v1.20.",	"v1.20.2.3",  "v1.20.2a",    "v1.20.2-_",
					   "v1.20.2-a/", "v1.20.10000", "v1.20000.2", "v10000.20.2", "v1-20.2",
					   "v1.20-2",	 " v1.20.2"};
	struct kubernetes_version version;
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	assert_int_equal(derive_with("v1.19.16", NULL, NULL, &f, &err), -ENOTSUP);
	assert_string_equal(err.text, "Kubernetes v1.19.16: expected a release from 1.20 to 1.33");
	assert_int_equal(derive_with("v1.34.0", NULL, NULL, &f, &err), -ENOTSUP);
	assert_int_equal(derive_with("v2.20.0", NULL, NULL, &f, &err), -ENOTSUP);
	assert_int_equal(derive_with("latest", NULL, NULL, &f, &err), -EINVAL);
	assert_string_equal(err.text, "Kubernetes version: expected one such as v1.20.2, found \"latest\"");
	assert_int_equal(derive_with("v1.20", NULL, NULL, &f, &err), -EINVAL);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(kubernetes_version_parse(none[i], &version, &err), -EINVAL);
	assert_int_equal(kubernetes_version_parse("v1.20.9999+a-b.c", &version, &err), 0);
	assert_int_equal(version.patch, 9999);
	assert_int_equal(kubernetes_version_parse("v1.20.2-abcdefghijklmnopqrstuvw", &version, &err), 0);
	assert_string_equal(version.text, "v1.20.2-abcdefghijklmnopqrstuvw"); /* 31 characters */
	assert_int_equal(kubernetes_version_parse("v1.20.2-abcdefghijklmnopqrstuvwx", &version, &err), -EINVAL);
	assert_true(kubernetes_version_supported("v1.33.0-rc.1", &err));
	assert_true(kubernetes_version_supported("1.20.2", &err));
	assert_false(kubernetes_version_supported("v1.20.2 or so", &err));
}

static void the_first_service_has_the_first_address(void **state)
{
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	assert_int_equal(derive_with("v1.20.2", "10.96.0.0/12", NULL, &f, &err), 0);
	assert_string_equal(f.cluster.service_ip, "10.96.0.1");
	assert_int_equal(derive_with("v1.20.2", "fd00:10:96::/112", "fd00:10:244::/56", &f, &err), 0);
	assert_string_equal(f.cluster.service_ip, "fd00:10:96::1");
	assert_string_equal(f.cluster.pod_subnet, "fd00:10:244::/64");
	assert_int_equal(derive_with("v1.20.2", "10.96.0.7/32", NULL, &f, &err), -ERANGE);
	assert_int_equal(derive_with("v1.20.2", "10.96.0.0", NULL, &f, &err), -EINVAL);
	assert_string_equal(
		err.text, "keelson.cluster.service_cidr: expected a prefix such as 10.244.0.0/16, found \"10.96.0.0\"");
}

static void what_is_no_prefix_is_refused(void **state)
{
	static const char *const bad[] = {"",
					  "/8",
					  "10.0.0.0/",
					  "10.0.0.0/33",
					  "10.0.0.0/-1",
					  "10.0.0.0/+8",
					  "10.0.0.0/8x",
					  "10.0.0/8",
					  "fd00::/129",
					  "0000:0000:0000:0000:0000:0000:255.255.255.2555/8",
					  "0000:0000:0000:0000:0000:0000:0255.255.255.255/8"};
	char text[INET6_ADDRSTRLEN];
	struct prefix prefix;
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (prefix_parse(bad[i], &prefix, NULL) != -EINVAL)
			fail_msg("expected \"%s\" to be refused", bad[i]);
	assert_int_equal(prefix_parse("0.0.0.0/0", &prefix, NULL), 0);
	assert_int_equal(prefix_address(&prefix, 0x01020304, text, NULL), 0); /* of 2 ^ 32 */
	assert_string_equal(text, "1.2.3.4");
	assert_int_equal(prefix_parse("10.0.0.1/32", &prefix, NULL), 0);
	assert_int_equal(prefix_parse("fd00::/128", &prefix, NULL), 0);
	assert_int_equal(prefix_parse("0000:0000:0000:0000:0000:ffff:255.255.255.255/8", &prefix, NULL), 0);
}

static void a_node_takes_its_share_of_the_pod_range(void **state)
{
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	assert_int_equal(derive_with("v1.20.2", NULL, "10.244.7.9/16", &f, &err), 0);
	assert_string_equal(f.cluster.pod_subnet, "10.244.0.0/24");
	assert_int_equal(derive_with("v1.20.2", NULL, "192.168.5.128/25", &f, &err), 0);
	assert_string_equal(f.cluster.pod_subnet, "192.168.5.128/25");
	assert_int_equal(f.cluster.pod_subnet_bits, 25);
}

static void a_clock_before_the_image_is_lifted_to_its_build(void **state)
{
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	assert_int_equal(derive_with("v1.20.2", NULL, NULL, &f, &err), 0);
	assert_int_equal(f.cluster.now, FIXTURE_BUILD_TIME);
}

static void the_nodes_name_is_its_host_name_in_lower_case(void **state)
{
	struct fixture f;
	(void)state;

	fixture_make(&f, "v1.20.2");
	assert_string_equal(f.cluster.node_name, "cp-1");
}

static void a_worker_needs_to_know_where_the_api_is(void **state)
{
	struct cluster_facts facts = {"v1.20.2", "10.0.2.15", FIXTURE_BUILD_TIME, 0, "1", false};
	struct err err = {{0}};
	char server[300];
	struct fixture f;
	(void)state;

	fixture_config(&f);
	f.config.role = ROLE_WORKER;
	assert_int_equal(cluster_derive(&f.config, &facts, &f.cluster, &err), -EINVAL);
	assert_string_equal(err.text, "keelson.cluster.endpoint: expected where a worker reaches the API, found none");
	f.config.cluster.endpoint = (char *)"https://10.0.0.10:6443";
	assert_int_equal(cluster_derive(&f.config, &facts, &f.cluster, &err), 0);
	cluster_local_server(&f.cluster, server, sizeof server);
	assert_string_equal(server, "https://10.0.0.10:6443");
}

static void the_table_knows_when_a_flag_went(void **state)
{
	struct kubernetes_version version;
	(void)state;

	assert_int_equal(kubernetes_version_parse("v1.23.17", &version, NULL), 0);
	assert_true(version_has(&version, APISERVER_INSECURE_PORT));
	assert_true(version_has(&version, KUBELET_CONTAINER_RUNTIME));
	assert_int_equal(kubernetes_version_parse("v1.27.0", &version, NULL), 0);
	assert_false(version_has(&version, APISERVER_INSECURE_PORT));
	assert_false(version_has(&version, KUBELET_CONTAINER_RUNTIME));
	assert_true(version_has(&version, KUBELET_RUNTIME_ENDPOINT_FIELD));
}

static int derive_named(const char *hostname, struct fixture *f, struct err *err)
{
	struct cluster_facts facts = {"v1.20.2", "10.0.2.15", FIXTURE_BUILD_TIME, 0, "1", false};

	fixture_config(f);
	f->config.hostname = (char *)(uintptr_t)hostname;
	return cluster_derive(&f->config, &facts, &f->cluster, err);
}

static void a_host_name_that_a_kubelet_cannot_register_is_refused(void **state)
{
	static const char *const good[] = {"a", "1", "a-b.c", "A-9"};
	static const char *const bad[] = {"", "-a", "a-", ".a", "a.", "a_b", "a b"};
	char longest[255];
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_int_equal(derive_named(good[i], &f, &err), 0);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		if (derive_named(bad[i], &f, &err) != -EINVAL)
			fail_msg("expected \"%s\" to be refused", bad[i]);
	memset(longest, 'a', sizeof longest - 1);
	longest[254] = 0;
	assert_int_equal(derive_named(longest, &f, &err), -EINVAL);
	assert_string_equal(err.text, "hostname: expected 1 to 253 characters, found 254");
	longest[253] = 0;
	assert_int_equal(derive_named(longest, &f, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_release_outside_the_table_is_refused_with_the_range),
		cmocka_unit_test(the_first_service_has_the_first_address),
		cmocka_unit_test(what_is_no_prefix_is_refused),
		cmocka_unit_test(a_node_takes_its_share_of_the_pod_range),
		cmocka_unit_test(a_clock_before_the_image_is_lifted_to_its_build),
		cmocka_unit_test(the_nodes_name_is_its_host_name_in_lower_case),
		cmocka_unit_test(a_worker_needs_to_know_where_the_api_is),
		cmocka_unit_test(the_table_knows_when_a_flag_went),
		cmocka_unit_test(a_host_name_that_a_kubelet_cannot_register_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
