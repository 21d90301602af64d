#include "config/schema.h"

#include "config/document.h"
#include "lib/buf.h"
#include "lib/cleanup.h"
#include "unit/test.h"

static void every_key_has_its_parent_its_type_and_a_meaning(void **state)
{
	(void)state;

	for (const struct key *key = schema_keys; key->path; key++) {
		char parent[256];
		char *cut;

		snprintf(parent, sizeof parent, "%s", key->path);
		cut = strrchr(parent, '.');
		if (strlen(parent) > 2 && !strcmp(parent + strlen(parent) - 2, "[]"))
			cut = parent + strlen(parent) - 2;
		if (cut) {
			*cut = 0;
			if (!schema_find(parent) || schema_find(parent) > key)
				fail_msg("%s: expected its parent %s before it", key->path, parent);
		}
		if (schema_find(key->path) != key)
			fail_msg("%s: expected once", key->path);
		if (!key->help || !*key->help)
			fail_msg("%s: expected a meaning", key->path);
		if ((key->type == TYPE_CHOICE) != (key->words != NULL))
			fail_msg("%s: expected words with a choice only", key->path);
		if (key->type > TYPE_CHOICE && !type_infos[key->type].check)
			fail_msg("%s: expected a check for its type", key->path);
	}
}

static void a_default_is_itself_a_valid_value(void **state)
{
	(void)state;

	for (const struct key *key = schema_keys; key->path; key++) {
		const struct type_info *info = &type_infos[key->type];

		if (!key->standard || strchr(key->standard, ' ') || !info->check)
			continue;
		if (!info->check(key, key->standard, NULL))
			fail_msg("%s: %s is no %s", key->path, key->standard, info->name);
	}
}

static void the_schema_for_editors_is_the_table(void **state)
{
	json_t *schema = schema_to_json();
	_cleanup_free_ char *text = json_dumps(schema, JSON_INDENT(2));
	_cleanup_(buf_free) struct buf file = {0};
	(void)state;

	json_decref(schema);
	buf_addf(&file, "%s\n", text);
	assert_golden("../../configs/schema.json", buf_string(&file));
}

static const struct {
	enum value_type type;
	const char *good[12], *bad[16];
} values[] = {
	{TYPE_HOSTNAME,
	 {"a", "cp-1", "a.b", "1"},
	 {"", "-a", "a-", "A", "a_b", "a..b", ".a", "a.", "a b",
	  "a123456789012345678901234567890123456789012345678901234567890123"}},
	{TYPE_DOMAIN, {"cluster.local", "a"}, {"", "Cluster.local", "a.", "a/b"}},
	{TYPE_HOST, {"10.0.0.1", "fd00::1", "time.example.org", "A.b"}, {"", "10.0.0.256", "10.0.0", "a b", "a:1"}},
	{TYPE_SAN, {"*.example.org", "10.0.0.1"}, {"*", "*.*.a", "a*b"}},
	{TYPE_TIMEZONE, {"UTC", "Europe/Berlin", "Etc/GMT+1"}, {"", "/UTC", "../x", "a/../b", "a b", "a/", "A//b"}},
	{TYPE_PATH,
	 {"/etc/x", "/var/a/b.c", "/etc/..x", "/etc/x..", "/opt/a b"},
	 {"", "/", "/etc", "/etc/", "/etc/.", "/etc/..", "/etc/./x", "/etc/../usr/x", "/etc//x", "etc/x", "/usr/x",
	  "/run/keelson", "/run/keelson/x", "/var/lib/keelson/x", "/etc/a\nb"}},
	{TYPE_OWNER, {"root", "root:root", "0:0", "a.b:c-d"}, {"", ":", "a:", ":a", "a:b:c", "-a", "a b"}},
	{TYPE_PERMISSIONS, {"0644", "644", "0o755", "4755", "01777"}, {"", "0", "64", "999", "0888", "77777", "rw-"}},
	{TYPE_ENDPOINT,
	 {"https://10.0.0.1:6443", "https://[fd00::1]:6443", "https://a.b:1"},
	 {"", "10.0.0.1:6443", "https://10.0.0.1", "http://a:1", "https://a:1/", "https://a:0", "https://a:65536",
	  "https://a:06443", "https://fd00::1:6443"}},
	{TYPE_URL,
	 {"http://a", "https://a.b:8080/c?d=e#f", "https://[fd00::1]/x"},
	 {"", "a", "ftp://a", "https://", "https://a b", "https:///x", "https://user@a/x"}},
	{TYPE_LISTEN, {"0.0.0.0:7443", "[::]:7443"}, {"", "7443", ":7443", "0.0.0.0", "0.0.0.0:0"}},
	{TYPE_TOKEN,
	 {"abcdef.0123456789abcdef"},
	 {"", "ABCDEF.0123456789abcdef", "abcdef:0123456789abcdef", "abcdef.0123456789abcde",
	  "abcdef.0123456789abcdefg"}},
	{TYPE_FLAG, {"v", "audit-log-maxage"}, {"", "--v", "V", "a=b", "a_b"}},
	{TYPE_LABEL, {"a", "example.org/a", "A_b.c"}, {"", "/a", "a/", "a/b/c", "-a", "a b"}},
	{TYPE_LABEL_VALUE, {"", "a", "A_b.c-d"}, {"-a", "a b", "a/b"}},
	{TYPE_TAINT,
	 {"a:NoSchedule", "a=b:NoExecute", "example.org/a=:PreferNoSchedule"},
	 {"", "a", "a:b", ":NoSchedule", "a=b c:NoSchedule"}},
	{TYPE_REGISTRY,
	 {"docker.io", "10.0.0.5:5000", "localhost:5000", "_default"},
	 {"", "https://a", "a/b", "a:", "../x"}},
	{TYPE_SYSCTL,
	 {"vm.swappiness", "net/ipv4/conf/eth0.1/forwarding", "net.ipv4.conf.eth0/1.rp_filter"},
	 {"", "vm", ".vm", "vm.", "a..b", "../a", "a/../b", "/a/b", "a b.c"}},
	{TYPE_MODULE, {"nbd", "nf_conntrack", "8021q"}, {"", "-a", "a b", "a/b", "../a"}},
	{TYPE_SIZE, {"20G", "512M", "1T", "20Gi"}, {"", "20", "G", "20GB", "-1G", "1.5G"}},
	{TYPE_DURATION, {"30s", "5m", "1h30m"}, {"", "5", "m", "5 m", "5d", "-5m"}},
	{TYPE_LINE, {"", "a b"}, {"a\nb", "a\r"}},
};

static void each_type_takes_what_it_should(void **state)
{
	(void)state;

	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		const struct type_info *info = &type_infos[values[i].type];
		const struct key key = {.path = "x", .type = values[i].type};

		for (size_t j = 0; j < 12 && values[i].good[j]; j++)
			if (!info->check(&key, values[i].good[j], NULL))
				fail_msg("%s: expected \"%s\" to be one", info->name, values[i].good[j]);
		for (size_t j = 0; j < 16 && values[i].bad[j]; j++)
			if (info->check(&key, values[i].bad[j], NULL))
				fail_msg("%s: expected \"%s\" to be none", info->name, values[i].bad[j]);
	}
}

static void a_prefix_has_bounds_and_zeros_behind_it(void **state)
{
	static const struct {
		const char *text;
		bool good;
		const char *expected;
	} cases[] = {
		{"10.244.0.0/16", true, ""},
		{"10.0.0.0/8", true, ""},
		{"10.244.0.0", false, ""},
		{"10.244.0.0/", false, ""},
		{"10.244.0.0/016", false, ""},
		{"10.244.0/16", false, ""},
		{"fd00::/64", false, ""},
		{"10.244.0.0/25", false, "a prefix between /8 and /24 such as 10.244.0.0/16"},
		{"0.0.0.0/0", false, "a prefix between /8 and /24 such as 10.244.0.0/16"},
		{"128.0.0.0/8", true, ""},
		{"0.0.0.0/8", false, "a prefix without \"this network\" (0.0.0.0/8)"},
		{"127.16.0.0/16", false, "a prefix without the loopback's addresses (127.0.0.0/8)"},
		{"169.0.0.0/8", false, "a prefix without link-local addresses (169.254.0.0/16)"},
		{"224.0.0.0/16", false, "a prefix without multicast and reserved addresses (224.0.0.0/3)"},
		{"255.255.255.0/24", false, "a prefix without multicast and reserved addresses (224.0.0.0/3)"},
		{"10.244.7.0/16", false, "a prefix with zeros behind it, 10.244.0.0/16"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct err expected = {""};
		bool good = type_infos[TYPE_PREFIX].check(schema_find("keelson.cluster.pod_cidr"), cases[i].text,
							  &expected);

		if (good != cases[i].good)
			fail_msg("%s: expected %s", cases[i].text, cases[i].good ? "good" : "bad");
		assert_string_equal(expected.text, cases[i].expected);
	}
}

static void a_file_name_leaves_room_for_the_one_beside_it(void **state)
{
	char path[300] = "/etc/a/";
	struct err expected = {""};
	(void)state;

	memset(path + 7, 'n', 250);
	assert_true(type_infos[TYPE_PATH].check(NULL, path, &expected));
	path[257] = 'n';
	assert_false(type_infos[TYPE_PATH].check(NULL, path, &expected));
	assert_string_equal(expected.text, "a path whose names have at most 250 bytes each");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_has_its_parent_its_type_and_a_meaning),
		cmocka_unit_test(a_default_is_itself_a_valid_value),
		cmocka_unit_test(the_schema_for_editors_is_the_table),
		cmocka_unit_test(each_type_takes_what_it_should),
		cmocka_unit_test(a_prefix_has_bounds_and_zeros_behind_it),
		cmocka_unit_test(a_file_name_leaves_room_for_the_one_beside_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
