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

#define X32 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X60 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X63 X60 "xxx"

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
	{TYPE_TIMEZONE,
	 {"UTC", "Europe/Berlin", "Etc/GMT+1", "America/Argentina/Ushuaia", "posix/Asia/Tokyo", "W-SU", "NZ"},
	 {"", "/UTC", "../x", "Asia/../b", "a b", "Asia/", "Asia//b", "Berlin", "CEST", "Europe", "europe/Berlin",
	  "Mars/Base", "UTC/x", "Europ/x", "Europee/x"}},
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
	{TYPE_FLAG, {"v", "audit-log-maxage"}, {"", "--v", "-v", "V", "a=b", "a_b", "a b"}},
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
	/* as long as they may be, and one longer */
	{TYPE_HOSTNAME, {X63, "a." X60 "x"}, {X63 "x", "a." X60 "xx"}},
	{TYPE_DOMAIN,
	 {X63 "." X63 "." X63 "." X60 "x", "a-b"},
	 {X63 "." X63 "." X63 "." X60 "xx", X63 "x", "a.-b", "a-.b"}},
	{TYPE_HOST, {X63 ".a", "1.2.3.a"}, {"1.2.3.4.5", "1", "."}},
	{TYPE_SAN, {"a", "fd00::1"}, {"*.", "a.*.b"}},
	{TYPE_WORD, {"a", "\""}, {"", "a b", "a\tb", "a\r", "a\n"}},
	{TYPE_TIMEZONE, {"Etc/a"}, {"1a", "Etc//b"}},
	{TYPE_PATH,
	 {"/etc/.x", "/etc/x.", "/etc/...", "/run/keelson2", "/var/lib/keelson.d/x", "/tmp/x", "/run/x"},
	 {"/etc/x/..", "/etc/x/.", "/tmp", "/etc/x/../y", "/etc/a\x7f", "/vary/x", "/var/lib/keelson", "/.",
	  "/etc/a\x1b"}},
	{TYPE_OWNER, {X32, X32 ":" X32, "a-b", "A_"}, {X32 "x", "a:" X32 "x", "a:-b", "a/b"}},
	{TYPE_PERMISSIONS,
	 {"07777", "7777", "0o7777", "000"},
	 {"0o77777", "10000", "0o", "0o8", "00", "017777", "064x"}},
	{TYPE_ENDPOINT,
	 {"https://a:65535", "https://a:9", "https://[::]:1"},
	 {"https://[a]:1", "https://[10.0.0.1]:1", "https://[fd00::1]", "https://[fd00::1]x:1", "https://[fd00::1:1",
	  "https://a:", "https://a:1x", "https://[fd00::1]:", "https://a:100000", "https://a:0000000001"}},
	{TYPE_URL,
	 {"https://a?b", "http://a#b", "http://a/~", "https://a:1/", "http://" X63 "." X63 "." X63 "." X60 "x"},
	 {"http://a/<", "http://a/>", "http://a/\"", "http://a/\\", "http://a/\x7f", "http://a/\x1f", "http://a:0/",
	  "http:/a", "http://" X63 "." X63 "." X63 "." X63 ":1"}},
	{TYPE_LISTEN, {"a:1", "[fd00::1]:65535"}, {"[fd00::1]", "a:65536", "a:01"}},
	{TYPE_TOKEN,
	 {"000000.zzzzzzzzzzzzzzzz"},
	 {"abcde.0123456789abcdefg", "abcdeF.0123456789abcdef", "abcdef.0123456789abcdeF", "abcdef..123456789abcdef"}},
	{TYPE_FLAG, {"a1"}, {"-v", "1a"}},
	{TYPE_LABEL, {X63, X63 "/" X63, "1"}, {X63 "x", "a/" X63 "x", X63 "x/a", "a-", "A.b/a", "/", "_a"}},
	{TYPE_LABEL_VALUE, {X63, "9"}, {X63 "x", "a-", "-", "a:b"}},
	{TYPE_TAINT,
	 {"a=:NoSchedule", X63 "/" X63 "=" X63 ":NoExecute"},
	 {"a=b=c:NoSchedule", "=b:NoSchedule", "a=-b:NoSchedule", "a:noschedule", "a:", "a:b:NoSchedule"}},
	{TYPE_REGISTRY, {"[fd00::1]:5000", "[fd00::1]"}, {"a:65536", "_defaults"}},
	{TYPE_SYSCTL, {"a.b", "a/b", "a.1"}, {"a./b", "a/.b", "a//b", "a.b-", "1.a", "a.b/"}},
	{TYPE_MODULE, {"a", "A-b"}, {"_a", "a.ko"}},
	{TYPE_SIZE, {"999999999K", "0G", "1Ti", "9M"}, {"1000000000K", "01G", "1Gi ", "1Gii", "1P", "1K1", "1ki"}},
	{TYPE_DURATION, {"999999s", "0s", "1s1s"}, {"1000000s", "01s", "1h30", "s", "1ms"}},
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
		{"10.128.0.0/8", false, "a prefix with zeros behind it, 10.0.0.0/8"},
		{"10.244.1.0/24", true, ""},
		{"1.0.0.0/8", true, ""},
		{"126.0.0.0/8", true, ""},
		{"169.253.255.0/24", true, ""},
		{"169.254.255.0/24", false, "a prefix without link-local addresses (169.254.0.0/16)"},
		{"169.255.0.0/24", true, ""},
		{"223.255.255.0/24", true, ""},
		{"10.0.0.0/7", false, "a prefix between /8 and /24 such as 10.244.0.0/16"},
		{"10.244.0.0/33", false, ""},
		{"00010.244.000.000/16", false, ""},
		{"/16", false, ""},
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

static void a_prefix_without_bounds_may_be_one_address_or_nearly_all(void **state)
{
	static const struct key any = {.path = "x", .type = TYPE_PREFIX};
	struct err expected = {""};
	(void)state;

	assert_true(type_infos[TYPE_PREFIX].check(&any, "10.0.0.1/32", &expected));
	assert_false(type_infos[TYPE_PREFIX].check(&any, "10.0.0.1/31", &expected));
	assert_string_equal(expected.text, "a prefix with zeros behind it, 10.0.0.0/31");
	assert_false(type_infos[TYPE_PREFIX].check(&any, "0.0.0.0/0", &expected));
	assert_string_equal(expected.text, "a prefix without \"this network\" (0.0.0.0/8)");
	assert_false(type_infos[TYPE_PREFIX].check(&any, "255.255.255.255/32", &expected));
}

static void what_is_wrong_with_a_name_is_said(void **state)
{
	struct err expected = {""};
	(void)state;

	assert_false(type_infos[TYPE_HOSTNAME].check(NULL, X63 "x", &expected));
	assert_string_equal(expected.text, "a name of at most 63 letters");
	assert_false(type_infos[TYPE_HOSTNAME].check(NULL, "Cp", &expected));
	assert_string_equal(expected.text, "a name in lower case, as Kubernetes wants it, such as cp-1");
	assert_false(type_infos[TYPE_FLAG].check(NULL, "--v", &expected));
	assert_string_equal(expected.text, "the flag's name without --");
	assert_false(type_infos[TYPE_FLAG].check(NULL, "-v", &expected));
	assert_string_equal(expected.text, "the flag's name without -");
	assert_false(type_infos[TYPE_FLAG].check(NULL, "a=b", &expected));
	assert_string_equal(expected.text, "the flag's name alone, and its value behind the colon");
	assert_false(type_infos[TYPE_FLAG].check(NULL, "a_b", &expected));
	assert_string_equal(expected.text, "the flag's name with - instead of _");
	assert_false(type_infos[TYPE_TIMEZONE].check(NULL, "Europa/Berlin", &expected));
	assert_string_equal(expected.text, "a time zone in an area such as Europe");
	assert_false(type_infos[TYPE_TIMEZONE].check(NULL, "CEST", &expected));
	assert_string_equal(expected.text, "a time zone with its area such as Europe/Berlin, or UTC");
	assert_false(type_infos[TYPE_TAINT].check(NULL, "a:b", &expected));
	assert_string_equal(expected.text, "one of NoSchedule, PreferNoSchedule and NoExecute behind the colon");
	assert_false(type_infos[TYPE_PATH].check(NULL, "/usr/x", &expected));
	assert_string_equal(expected.text,
			    "a path below /etc, /run, /var, /opt or /tmp (the rest of the system is read-only)");
	assert_false(type_infos[TYPE_PATH].check(NULL, "/var/lib/keelson/x", &expected));
	assert_string_equal(expected.text, "a path that is not below /var/lib/keelson, which is the system's own");
}

static void a_taints_key_is_as_long_as_it_may_be(void **state)
{
	char taint[420];
	(void)state;

	/* far beyond any label, and it must not leave its room */
	memset(taint, 'x', 400);
	strcpy(taint + 399, ":NoSchedule");
	assert_false(type_infos[TYPE_TAINT].check(NULL, taint, NULL));
	memset(taint, 'x', 400);
	strcpy(taint + 400, ":NoSchedule");
	assert_false(type_infos[TYPE_TAINT].check(NULL, taint, NULL));
}

static void a_key_elsewhere_is_looked_for_near_first(void **state)
{
	(void)state;
	assert_string_equal(schema_elsewhere("", "pod_cidr")->path, "keelson.cluster.pod_cidr");
	assert_string_equal(schema_elsewhere("", "extra_args")->path, "keelson.cluster.api_server.extra_args");
	assert_string_equal(schema_elsewhere("ntp", "extra_args")->path, "keelson.cluster.api_server.extra_args");
	assert_string_equal(schema_elsewhere("keelson.kubelet", "extra_args")->path, "keelson.cluster.etcd.extra_args");
	assert_string_equal(schema_elsewhere("ntp", "servers")->path, "ntp.servers");
	assert_null(schema_elsewhere("", "ssh_pwauth")); /* means nothing here */
	assert_null(schema_elsewhere("keelson", "no_such_key"));
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
		cmocka_unit_test(a_prefix_without_bounds_may_be_one_address_or_nearly_all),
		cmocka_unit_test(what_is_wrong_with_a_name_is_said),
		cmocka_unit_test(a_taints_key_is_as_long_as_it_may_be),
		cmocka_unit_test(a_key_elsewhere_is_looked_for_near_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
