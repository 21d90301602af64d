/* Every document of tests/data/config/ gives exactly the findings beside it (NAME.errors; good ones have none). */
#include "config/document.h"

#include <glob.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static void read_file(const char *path, struct document *document, int *r)
{
	_cleanup_(buf_free) struct buf bytes = {0};
	struct err err;

	assert_int_equal(file_read(path, 4 << 20, &bytes, &err), 0);
	*r = document_read(buf_string(&bytes), bytes.len, document);
}

static void check_all(const char *pattern, bool valid, bool findings)
{
	glob_t found = {0};

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		_cleanup_(document_free) struct document document = {0};
		_cleanup_(buf_free) struct buf text = {0};
		char golden[300];
		int r;

		read_file(found.gl_pathv[i], &document, &r);
		report_print(&document.report, "user-data", &text);
		if ((r == 0) != valid || (text.len != 0) != findings)
			fail_msg("%s: expected %s%s, found %d: %s", found.gl_pathv[i], valid ? "valid" : "invalid",
				 findings ? " with findings" : "", r, buf_string(&text));
		if (!findings)
			continue;
		snprintf(golden, sizeof golden, "config/%.*s.errors",
			 (int)(strlen(strrchr(found.gl_pathv[i], '/') + 1) - strlen(".yaml")),
			 strrchr(found.gl_pathv[i], '/') + 1);
		assert_golden(golden, buf_string(&text));
	}
	globfree(&found);
}

static void good_documents_are_valid_without_a_word(void **state)
{
	(void)state;
	check_all("tests/data/config/good-*.yaml", true, false);
	check_all("configs/examples/*.yaml", true, false);
}

static void what_changes_nothing_is_a_warning(void **state)
{
	(void)state;
	check_all("tests/data/config/warn-*.yaml", true, true);
}

static void bad_documents_are_refused_with_every_reason(void **state)
{
	(void)state;
	check_all("tests/data/config/bad-*.yaml", false, true);
}

static void values_take_their_type_from_the_schema(void **state)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_free_ char *json = NULL;
	int r;
	(void)state;

	read_file("tests/data/config/good-everything.yaml", &document, &r);
	assert_int_equal(r, 0);
	json = json_dumps(document.values, JSON_INDENT(2));
	assert_golden("config/good-everything.values.json", json);
}

static void what_only_looks_like_a_number_stays_a_text(void **state)
{
	static const char text[] =
		"#cloud-config\nkeelson: {role: single, kubelet: {config: {logging: {a: 1.2.3, b: 1e999, c: 007,"
		" d: -5, e: 1.5e1, f: 1234567890123456789, g: TRUE, h: '5', i: 0, j: -, k: .}}}}\n";
	_cleanup_(document_free) struct document document = {0};
	_cleanup_free_ char *json = NULL;
	(void)state;

	assert_int_equal(document_read(text, sizeof text - 1, &document), 0);
	json = json_dumps(values_get(document.values, "keelson.kubelet.config.logging"), JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(json,
			    "{\"a\":\"1.2.3\",\"b\":\"1e999\",\"c\":\"007\",\"d\":-5,\"e\":15.0,"
			    "\"f\":\"1234567890123456789\",\"g\":true,\"h\":\"5\",\"i\":0,\"j\":\"-\",\"k\":\".\"}");
}

static void a_document_keeps_its_text_behind_the_wrapping(void **state)
{
	static const char *const paths[] = {"tests/data/config/good-gzip-bytes.yaml",
					    "tests/data/config/good-gzip.yaml", "tests/data/config/good-base64.yaml"};
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		_cleanup_(document_free) struct document document = {0};
		int r;

		read_file(paths[i], &document, &r);
		assert_int_equal(r, 0);
		assert_string_equal(buf_string(&document.text), "#cloud-config\nkeelson: {role: single}\n");
	}
}

static void a_secret_is_never_printed(void **state)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_(buf_free) struct buf text = {0};
	static const char secret[] = "#cloud-config\nkeelson:\n  cluster:\n    token: hunter2\n    ca: {key: hunter2}\n"
				     "write_files:\n- {path: /etc/x, content: [hunter2], encoding: hunter3}\n";
	(void)state;

	assert_int_equal(document_read(secret, sizeof secret - 1, &document), -EINVAL);
	report_print(&document.report, "user-data", &text);
	assert_null(strstr(buf_string(&text), "hunter2"));
	assert_non_null(strstr(buf_string(&text), "found 7 characters"));
}

static void a_path_leads_to_its_value_only(void **state)
{
	json_t *values = json_pack("{s:{s:s}}", "a", "b", "x");
	char name[1000];
	(void)state;

	assert_string_equal(values_string(values, "a.b"), "x");
	assert_null(values_string(values, "a"));
	assert_null(values_string(values, "a.b.c"));
	assert_null(values_get(values, "b"));
	for (size_t len = 1; len < sizeof name; len++) {
		snprintf(name, sizeof name, "%0*d", (int)len, 0);
		assert_null(values_get(values, name));
	}
	json_decref(values);
}

static void findings_of(const char *document, struct buf *findings)
{
	_cleanup_(document_free) struct document read = {0};

	document_read(document, strlen(document), &read);
	report_print(&read.report, "user-data", findings);
}

static void what_is_found_is_printed_without_its_control_characters(void **state)
{
	_cleanup_(buf_free) struct buf text = {0}, cut = {0};
	char key[300] = "#cloud-config\nx";
	(void)state;

	findings_of("#cloud-config\n\"\\e[2Ja\\nb\": 1\nhostname: \"a\\x9b31m\\u202e\"\n", &text);
	assert_string_equal(buf_string(&text),
			    "user-data:2:1: ?[2Ja b: unknown key\n"
			    "user-data:3:11: hostname: expected a name such as cp-1 (lower-case letters, digits, - and "
			    ".), found \"a?31m?\"\n");
	/* a message that ends in the middle of a character would be no JSON, and with it all others would be lost */
	for (int i = 0; i < 100; i++)
		strcat(key, "\xc3\xa4");
	strcat(key, ": 1\n");
	findings_of(key, &cut);
	assert_non_null(strstr(buf_string(&cut), "\xc3\xa4?: unknown key"));
}

static void a_bomb_is_unpacked_once(void **state)
{
	_cleanup_(buf_free) struct buf bytes = {0}, text = {0}, said = {0};
	struct err err;
	(void)state;

	/* 9 MiB of zeros, gzip and base64 */
	assert_int_equal(file_read("tests/data/config/nine-mebibytes.gz.base64", 1 << 20, &bytes, &err), 0);
	buf_addf(&text, "#cloud-config\nwrite_files:\n- {path: /etc/x, encoding: gz+b64, content: &b '%s'}\n",
		 buf_string(&bytes));
	for (int i = 0; i < 400; i++)
		buf_addf(&text, "- {path: /etc/%d, encoding: gz+b64, content: *b}\n", i);
	findings_of(buf_string(&text), &said);
	assert_string_equal(buf_string(&said),
			    "user-data:3:45: write_files[0].content: expected at most 8388608 bytes in "
			    "all files together, found more\n");
}

#define LARGE_MANIFEST "'{apiVersion: v1, kind: A, metadata: {name: a}, x: %0*d}'"

/* node.json holds the values with every alias written out, and each step reads it with a bound. */
static void aliases_do_not_make_more_than_a_step_reads(void **state)
{
	_cleanup_(buf_free) struct buf text = {0}, said = {0};
	(void)state;

	buf_addf(&text, "#cloud-config\nkeelson:\n  cluster:\n    manifests:\n    - content: &a " LARGE_MANIFEST "\n",
		 600000, 0);
	for (int i = 0; i < 3; i++)
		buf_add_string(&text, "    - content: *a\n");
	findings_of(buf_string(&text), &said);
	assert_string_equal(buf_string(&said),
			    "user-data: expected values of at most 2097152 bytes, aliases counted as "
			    "often as they are used, found 2400303\n");
}

static void values_are_as_large_as_they_may_be(void **state)
{
	static const int around = 303, most = 2097152;
	(void)state;

	for (int more = 0; more <= 1; more++) {
		_cleanup_(buf_free) struct buf text = {0}, said = {0};

		buf_addf(&text,
			 "#cloud-config\nkeelson:\n  cluster:\n    manifests:\n    - content: &a " LARGE_MANIFEST "\n"
			 "    - content: *a\n    - content: *a\n    - content: " LARGE_MANIFEST "\n",
			 600000, 0, most - around - 3 * 600000 + more, 0);
		findings_of(buf_string(&text), &said);
		assert_int_equal(strstr(buf_string(&said), "found 2097153\n") != NULL, more);
		assert_int_equal(said.len != 0, more);
	}
}

static void no_more_of_a_first_line_is_shown_than_fits_a_line(void **state)
{
	_cleanup_(buf_free) struct buf said = {0};
	char text[200], expected[200];
	(void)state;

	snprintf(text, sizeof text, "%0100d\n", 0);
	snprintf(expected, sizeof expected,
		 "user-data:1:1: expected #cloud-config as the first line, found \"%060d\"\n", 0);
	findings_of(text, &said);
	assert_string_equal(buf_string(&said), expected);
}

/* The key of a free map, as long as it may be and one longer. */
static void a_flags_name_is_as_long_as_it_may_be(void **state)
{
	(void)state;
	for (int len = 128; len <= 129; len++) {
		_cleanup_(buf_free) struct buf text = {0}, said = {0};

		buf_addf(&text, "#cloud-config\nkeelson:\n  cluster:\n    scheduler: {extra_args: {a%.*s: x}}\n",
			 len - 1,
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
		findings_of(buf_string(&text), &said);
		assert_int_equal(strstr(buf_string(&said), "expected a flag's name") != NULL, len > 128);
		assert_int_equal(said.len != 0, len > 128);
	}
}

static void assert_findings(const char *document, const char *expected)
{
	_cleanup_(buf_free) struct buf text = {0}, found = {0};

	buf_addf(&text, "#cloud-config\n%s", document);
	findings_of(buf_string(&text), &found);
	assert_string_equal(buf_string(&found), expected);
}

static void prefixes_are_apart_or_not(void **state)
{
	static const struct {
		const char *pods, *services;
		bool apart;
	} rows[] = {
		{"10.0.0.0/16", "10.1.0.0/16", true},	 {"10.1.0.0/16", "10.0.0.0/16", true},
		{"10.0.0.0/15", "10.1.0.0/16", false},	 {"10.1.255.0/24", "10.1.0.0/16", false},
		{"10.0.0.0/16", "10.0.255.0/24", false}, {"10.2.0.0/16", "10.1.0.0/16", true},
	};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[200], expected[300] = "";

		snprintf(text, sizeof text, "keelson: {cluster: {pod_cidr: %s, service_cidr: %s}}\n", rows[i].pods,
			 rows[i].services);
		if (!rows[i].apart)
			snprintf(expected, sizeof expected,
				 "user-data:2:%zu: keelson.cluster.service_cidr: %s overlaps keelson.cluster.pod_cidr, "
				 "which is "
				 "%s\n",
				 strlen("keelson: {cluster: {pod_cidr: , ") + strlen(rows[i].pods) + 1,
				 rows[i].services, rows[i].pods);
		assert_findings(text, expected);
	}
	assert_findings(
		"keelson: {cluster: {service_cidr: 10.0.0.0/16, pod_cidr: 10.0.0.0/16}}\n",
		"user-data:2:48: keelson.cluster.pod_cidr: 10.0.0.0/16 overlaps keelson.cluster.service_cidr, which is "
		"10.0.0.0/16\n");
	assert_findings(
		"keelson: {cluster: {pod_cidr: 10.96.0.0/16}}\n",
		"user-data:2:21: keelson.cluster.pod_cidr: 10.96.0.0/16 overlaps keelson.cluster.service_cidr, which "
		"is 10.96.0.0/16 by default\n");
	/* one that is none was told already */
	assert_findings("keelson: {cluster: {pod_cidr: 10.96.0.0/99}}\n",
			"user-data:2:31: keelson.cluster.pod_cidr: expected a prefix such as 10.244.0.0/16, found "
			"\"10.96.0.0/99\"\n");
	assert_findings(
		"keelson: {cluster: {service_cidr: x, pod_cidr: 10.96.0.0/16}}\n",
		"user-data:2:35: keelson.cluster.service_cidr: expected a prefix such as 10.96.0.0/16, found \"x\"\n");
	assert_findings("keelson: {cluster: {pod_cidr: 10.244.0.0/16}}\n", "");
}

#define NO_NETWORK "network: {kind: none}"
#define JOINS "role: worker, cluster: {token: abcdef.0123456789abcdef, endpoint: \"https://a:6443\", " NO_NETWORK
#define WITHOUT_CA(place)                                                                                              \
	"user-data:" place                                                                                             \
	": keelson.role: a worker needs keelson.cluster.ca.certificate to know the API server when it "                \
	"joins\n"

static void a_role_has_its_own_keys(void **state)
{
	(void)state;
	assert_findings("keelson: {" JOINS "}}\n", WITHOUT_CA("2:17"));
	assert_findings("keelson:\n  cluster:\n    scheduler: {}\n    token: abcdef.0123456789abcdef\n"
			"    endpoint: https://a:6443\n    " NO_NETWORK "\n  role: worker\n",
			"user-data:8:3: keelson.cluster.scheduler: not with role worker: it runs on control "
			"planes\n" WITHOUT_CA("8:9"));
	assert_findings(
		"keelson: {role: worker, cluster: {token: abcdef.0123456789abcdef, " NO_NETWORK "}}\n",
		WITHOUT_CA("2:17") "user-data:2:17: keelson.role: a worker needs keelson.cluster.endpoint to join\n");
	assert_findings(
		"keelson: {cluster: {etcd: {join: [\"https://a:2379\"]}}}\n",
		"user-data:2:28: keelson.cluster.etcd.join: not in this version of Keelson yet; take it out\n"
		"user-data:2:28: keelson.cluster.etcd.join: not with role single (the default): it has the only "
		"member\n");
	assert_findings("keelson: {role: control-plane, cluster: {" NO_NETWORK ", etcd: {join: []}}}\n", "");
	assert_findings("keelson: {role: single, cluster: {network: {kind: bridge}}}\n", "");
	assert_findings("keelson: {cluster: {network: {kind: bridge}}}\n", "");
	assert_findings(
		"keelson: {role: control-plane, cluster: {network: {kind: bridge}}}\n",
		"user-data:2:52: keelson.cluster.network.kind: bridge connects the pods of one node, not those of a "
		"control-plane\n");
	assert_findings(
		"keelson: {cluster: {network: {kind: bridge}}, role: control-plane}\n",
		"user-data:2:47: keelson.cluster.network.kind: bridge connects the pods of one node, not those of a "
		"control-plane\n");
	/* a role that is none has no keys that it cannot have */
	assert_findings("keelson: {role: boss, cluster: {network: {kind: bridge}, etcd: {join: []}}}\n",
			"user-data:2:17: keelson.role: expected single, control-plane or worker, found \"boss\"\n");
}

static void an_authority_is_given_whole(void **state)
{
	_cleanup_(buf_free) struct buf ca = {0}, text = {0};
	struct err err;
	(void)state;

	assert_int_equal(file_read("tests/data/config/ca.pem", 1 << 20, &ca, &err), 0);
	buf_addf(&text, "keelson: {role: control-plane, cluster: {ca: {certificate: \"");
	for (const char *p = ca.data; *p; p++)
		buf_addf(&text, *p == '\n' ? "\\n" : "%c", *p);
	buf_addf(&text, "\"}, " NO_NETWORK "}}\n");
	assert_findings(buf_string(&text),
			"user-data:2:47: keelson.cluster.ca.certificate: expected keelson.cluster.ca.key "
			"with it on a control plane\n");
}

static void time_servers_want_time_to_be_asked(void **state)
{
	(void)state;
	assert_findings("ntp: {enabled: false, servers: [], pools: []}\n", "");
	assert_findings("ntp: {enabled: true, servers: [a], pools: [b]}\n", "");
	assert_findings("ntp: {enabled: false, pools: [b]}\n",
			"user-data:2:23: ntp: enabled is false, but ntp.pools are given\n");
	assert_findings("ntp: {servers: [a], pools: [b], enabled: no}\n",
			"user-data:2:33: ntp: enabled is false, but ntp.pools are given\n"
			"user-data:2:33: ntp: enabled is false, but ntp.servers are given\n");
}

static void a_full_name_fits_where_it_is_the_host_name(void **state)
{
	char text[300], expected[200];
	(void)state;

	snprintf(text, sizeof text, "prefer_fqdn_over_hostname: true\nfqdn: %030d.%032d\n", 1, 1);
	assert_findings(text, "");
	snprintf(text, sizeof text, "fqdn: %031d.%032d\nprefer_fqdn_over_hostname: true\n", 1, 1);
	snprintf(expected, sizeof expected,
		 "user-data:3:1: prefer_fqdn_over_hostname: expected fqdn of at most 63 letters, found a longer one\n");
	assert_findings(text, expected);
	assert_findings("prefer_fqdn_over_hostname: false\n", "");
	assert_findings(
		"prefer_fqdn_over_hostname: true\nfqdn: A\n",
		"user-data:3:7: fqdn: expected a domain name such as cp-1.example.org (lower case), found \"A\"\n");
}

static void a_manifest_is_one_thing(void **state)
{
	(void)state;
	assert_findings("keelson: {cluster: {manifests: [{url: \"https://a\"}, {content: \"{apiVersion: v1, kind: A, "
			"metadata: {name: a}}\"}]}}\n",
			"");
	assert_findings("keelson: {cluster: {manifests: [{content: [], url: 1}]}}\n",
			"user-data:2:33: keelson.cluster.manifests[0]: expected either url or content\n"
			"user-data:2:43: keelson.cluster.manifests[0].content: expected text, found a list\n"
			"user-data:2:52: keelson.cluster.manifests[0].url: expected a URL such as "
			"https://example.org/file, found "
			"\"1\"\n");
}

#define MANIFEST(rest) "keelson: {cluster: {manifests: [{content: \"" rest "\"}]}}\n"
#define AT "user-data:2:43: keelson.cluster.manifests[0].content: "

static void a_manifest_says_what_it_is_before_the_node_boots(void **state)
{
	(void)state;
	assert_findings(MANIFEST("apiVersion: v1\\nkind: A\\nmetadata: {name: a}\\n---\\n# no more\\n"), "");
	assert_findings(MANIFEST("# none"), AT "expected a manifest, found nothing\n");
	assert_findings(MANIFEST(""), AT "expected a manifest, found nothing\n");
	assert_findings(MANIFEST("kind: A"), AT "document 1: expected apiVersion and kind, found no apiVersion\n");
	assert_findings(MANIFEST("# none\\n---\\napiVersion: v1\\nkind: A\\n"),
			AT "document 2: A: expected metadata.name, found none\n");
	assert_findings("keelson: {cluster: {manifests: }}\n", "");
}

/* A million levels would keep the node for minutes: it stops at the first that is too deep. */
static void a_manifest_has_no_bottomless_levels(void **state)
{
	_cleanup_(buf_free) struct buf text = {0}, said = {0};
	(void)state;

	buf_addf(&text, "#cloud-config\nkeelson: {cluster: {manifests: [{content: '");
	for (int i = 0; i < 100000; i++)
		buf_add_string(&text, "[");
	buf_add_string(&text, "'}]}}\n");
	findings_of(buf_string(&text), &said);
	assert_string_equal(buf_string(&said), AT "document 1: 1:501: expected at most 500 levels\n");
}

static void what_is_not_there_yet_is_refused_and_its_absence_is_not(void **state)
{
	(void)state;
	assert_findings("keelson: {console: {shell: true}}\n",
			"user-data:2:21: keelson.console.shell: not in this version of Keelson yet; take it out\n");
	assert_findings("keelson: {console: {shell: false}, on_failure: keep, install: {wipe: off, disk: {}}}\n", "");
	assert_findings(
		"keelson: {cluster: {network: {kind: routes}}}\n",
		"user-data:2:31: keelson.cluster.network.kind: routes is not in this version of Keelson yet; say "
		"none and install a CNI, or bridge on a node of role single\n");
	assert_findings(
		"keelson: {role: control-plane}\n",
		"user-data:2:17: warning: keelson.cluster.network.kind: vxlan, the default of a control-plane, "
		"is not in this version of Keelson yet; say none and install a CNI, or bridge on a node of role "
		"single\n");
	/* what is wrong by itself is told once */
	assert_findings("keelson: {role: control-plane, cluster: {network: {kind: x}}, on_failure: never}\n",
			"user-data:2:58: keelson.cluster.network.kind: expected vxlan, routes, bridge or none, found "
			"\"x\"\n"
			"user-data:2:75: keelson.on_failure: expected keep or revert, found \"never\"\n");
}

static void a_field_of_the_kubelet_is_looked_for_where_it_belongs(void **state)
{
	(void)state;
	assert_findings("keelson: {kubelet: {config: {maxPods: 5, kind: KubeletConfiguration}}}\n", "");
	assert_findings("keelson: {kubelet: {max_pods: 5}}\n",
			"user-data:2:21: keelson.kubelet.max_pods: unknown key, there is "
			"keelson.kubelet.config.maxPods\n");
	assert_findings("keelson: {kubelet: {config: {max_pods: 5, zzz: 1}}}\n",
			"user-data:2:30: keelson.kubelet.config.max_pods: unknown field of KubeletConfiguration, the "
			"nearest is maxPods\n"
			"user-data:2:43: keelson.kubelet.config.zzz: unknown field of KubeletConfiguration\n");
}

static void a_field_of_the_kubelet_has_the_shape_that_it_takes(void **state)
{
	(void)state;
	assert_findings("keelson: {kubelet: {config: {clusterDNS: [10.96.0.10], evictionHard: {nodefs.available: 5%}, "
			"maxPods: 5,\n"
			"  logging: {}, registerWithTaints: [], tracing: , podCIDR: ~}}}\n",
			"");
	assert_findings(
		"keelson: {kubelet: {config: {clusterDNS: 10.96.0.10, evictionHard: [a], maxPods: [5],\n"
		"  registerWithTaints: {a: b}, port: {}, featureGates: A=true}}}\n",
		"user-data:2:42: keelson.kubelet.config.clusterDNS: expected a list (- entry), found one value\n"
		"user-data:2:68: keelson.kubelet.config.evictionHard: expected a map (key: value), found a list "
		"(- entry)\n"
		"user-data:2:82: keelson.kubelet.config.maxPods: expected one value, found a list (- entry)\n"
		"user-data:3:23: keelson.kubelet.config.registerWithTaints: expected a list (- entry), found a map "
		"(key: value)\n"
		"user-data:3:37: keelson.kubelet.config.port: expected one value, found a map (key: value)\n"
		"user-data:3:55: keelson.kubelet.config.featureGates: expected a map (key: value), found one value\n");
}

static void a_name_that_a_person_chose_has_a_value(void **state)
{
	(void)state;
	assert_findings("keelson: {kubelet: {labels: {a: ''}}}\n", "");
	assert_findings("keelson: {kubelet: {labels: {a: }}}\n",
			"user-data:2:33: keelson.kubelet.labels.a: expected a value (\"\" is an empty one), found "
			"nothing\n");
	assert_findings("keelson: {sysctls: {vm.a: '', vm.b: ~}}\n",
			"user-data:2:27: keelson.sysctls.vm.a: expected a value, found \"\"\n"
			"user-data:2:37: keelson.sysctls.vm.b: expected a value, found \"~\"\n");
	assert_findings("keelson: {containerd: {registries: {a.b: }}}\n",
			"user-data:2:42: keelson.containerd.registries.a.b: expected a map, found nothing\n");
}

static void a_taint_is_given_once(void **state)
{
	(void)state;
	assert_findings("keelson: {kubelet: {taints: [a:NoSchedule, a:NoExecute, b:NoSchedule, ab:NoSchedule]}}\n", "");
	assert_findings(
		"keelson: {kubelet: {taints: [a=1:NoSchedule, b:NoSchedule, \"a:NoSchedule\", x]}}\n",
		"user-data:2:60: keelson.kubelet.taints[2]: expected a key and effect of its own, found those of "
		"keelson.kubelet.taints[0], a=1:NoSchedule\n"
		"user-data:2:76: keelson.kubelet.taints[3]: expected a taint such as dedicated=gpu:NoSchedule, found "
		"\"x\"\n");
}

static void files_lie_beside_each_other(void **state)
{
	(void)state;
	assert_findings(
		"write_files: [{path: /etc/a, content: x}, {path: /etc/ab, content: x}, {path: /etc/b, content: x}]\n",
		"");
	assert_findings("write_files: [{path: /etc/a, content: x}, {path: /etc/a, content: x, append: true}]\n", "");
	assert_findings(
		"write_files: [{path: /etc/a/b, content: x}, {path: /etc/a, content: x, append: true}]\n",
		"user-data:2:52: write_files[1].path: /etc/a and /etc/a/b: one would be a directory of the other\n");
	assert_findings(
		"write_files: [{path: /usr/a, content: x}, {path: /etc/a, content: x}, {path: /etc/a/b, content: x}, "
		"{path: /etc/a, content: x}]\n",
		"user-data:2:22: write_files[0].path: expected a path below /etc, /run, /var, /opt or /tmp (the rest "
		"of "
		"the system is read-only), found \"/usr/a\"\n"
		"user-data:2:78: write_files[2].path: /etc/a/b and /etc/a: one would be a directory of the other\n"
		"user-data:2:108: write_files[3].path: /etc/a is written by write_files[1] already\n");
}

static void what_was_found_is_cut_between_characters(void **state)
{
	static const char *const shown[][2] = {
		{"12345678901234567890123456789012345678901234567", "12345678901234567890123456789012345678901234567"},
		{"123456789012345678901234567890123456789012345678",
		 "12345678901234567890123456789012345678901234567…"},
		{"123456789012345678901234567890123456789012345☃", "123456789012345678901234567890123456789012345…"},
		{"1234567890123456789012345678901234567890123456☃", "1234567890123456789012345678901234567890123456…"},
		{"12345678901234567890123456789012345678901234☃", "12345678901234567890123456789012345678901234☃"},
		{"12345678901234567890123456789012345678901234☃x", "12345678901234567890123456789012345678901234☃…"},
		{"ä\nb\tc\rd", "ä b c d"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
		char text[200], expected[300], *to = text;

		to += sprintf(to, "hostname: \"");
		for (const char *p = shown[i][0]; *p; p++)
			to += sprintf(to, *p == '\n' ? "\\n" : *p == '\t' ? "\\t" : *p == '\r' ? "\\r" : "%c", *p);
		strcpy(to, "_\"\n");
		if (strstr(shown[i][1], "…"))
			snprintf(expected, sizeof expected, "found \"%s\"\n", shown[i][1]);
		else
			snprintf(expected, sizeof expected, "found \"%s", shown[i][1]);
		{
			_cleanup_(buf_free) struct buf all = {0}, found = {0};

			buf_addf(&all, "#cloud-config\n%s", text);
			findings_of(buf_string(&all), &found);
			if (!strstr(buf_string(&found), expected))
				fail_msg("expected %s, found %s", expected, buf_string(&found));
		}
	}
}

static void words_of_yaml_become_what_the_schema_wants(void **state)
{
	static const char text[] = "#cloud-config\nmanage_etc_hosts: yes\nfqdn: ~\nhostname: null\ntimezone:\n"
				   "write_files:\n- {path: /etc/a, content: x, permissions: 0o755, append: Off}\n"
				   "- {path: /etc/b, content: x, permissions: \"0644\", defer: ON}\n";
	_cleanup_(document_free) struct document document = {0};
	_cleanup_free_ char *json = NULL;
	(void)state;

	assert_int_equal(document_read(text, sizeof text - 1, &document), 0);
	json = json_dumps(document.values, JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(
		json,
		"{\"manage_etc_hosts\":true,\"write_files\":[{\"append\":false,\"column\":3,\"data\":\"eA==\","
		"\"line\":7,\"path\":\"/etc/a\",\"permissions\":493},{\"column\":3,\"data\":\"eA==\",\"defer\":true,"
		"\"line\":8,\"path\":\"/etc/b\",\"permissions\":420}]}");
	assert_findings(
		"manage_etc_hosts: maybe\nprefer_fqdn_over_hostname: \"no\"\nhostname: ''\n",
		"user-data:2:19: manage_etc_hosts: expected true, false, localhost or template, found \"maybe\"\n"
		"user-data:3:28: prefer_fqdn_over_hostname: expected true or false without quotes, found \"no\"\n"
		"user-data:4:11: hostname: expected a name such as cp-1 (lower-case letters, digits, - and .), found "
		"\"\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_documents_are_valid_without_a_word),
		cmocka_unit_test(what_changes_nothing_is_a_warning),
		cmocka_unit_test(bad_documents_are_refused_with_every_reason),
		cmocka_unit_test(values_take_their_type_from_the_schema),
		cmocka_unit_test(what_only_looks_like_a_number_stays_a_text),
		cmocka_unit_test(a_document_keeps_its_text_behind_the_wrapping),
		cmocka_unit_test(a_secret_is_never_printed),
		cmocka_unit_test(no_more_of_a_first_line_is_shown_than_fits_a_line),
		cmocka_unit_test(a_flags_name_is_as_long_as_it_may_be),
		cmocka_unit_test(a_path_leads_to_its_value_only),
		cmocka_unit_test(what_is_found_is_printed_without_its_control_characters),
		cmocka_unit_test(a_bomb_is_unpacked_once),
		cmocka_unit_test(aliases_do_not_make_more_than_a_step_reads),
		cmocka_unit_test(values_are_as_large_as_they_may_be),
		cmocka_unit_test(prefixes_are_apart_or_not),
		cmocka_unit_test(a_role_has_its_own_keys),
		cmocka_unit_test(an_authority_is_given_whole),
		cmocka_unit_test(time_servers_want_time_to_be_asked),
		cmocka_unit_test(a_full_name_fits_where_it_is_the_host_name),
		cmocka_unit_test(a_manifest_is_one_thing),
		cmocka_unit_test(a_manifest_says_what_it_is_before_the_node_boots),
		cmocka_unit_test(a_manifest_has_no_bottomless_levels),
		cmocka_unit_test(what_is_not_there_yet_is_refused_and_its_absence_is_not),
		cmocka_unit_test(a_field_of_the_kubelet_is_looked_for_where_it_belongs),
		cmocka_unit_test(a_field_of_the_kubelet_has_the_shape_that_it_takes),
		cmocka_unit_test(a_name_that_a_person_chose_has_a_value),
		cmocka_unit_test(a_taint_is_given_once),
		cmocka_unit_test(files_lie_beside_each_other),
		cmocka_unit_test(what_was_found_is_cut_between_characters),
		cmocka_unit_test(words_of_yaml_become_what_the_schema_wants),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
