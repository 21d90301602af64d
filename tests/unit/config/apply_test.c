/* A directory stands for the root of a node. */
#include "config/apply.h"

#include <sys/stat.h>

#include "config/document.h"
#include "config/make_node.h"
#include "config/node_config.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "unit/test.h"

static char root[] = "/tmp/keelson-apply-XXXXXX";

static const char *at(const char *path)
{
	static char full[300];

	snprintf(full, sizeof full, "%s%s", root, path);
	return full;
}

static void put(const char *path, const char *text)
{
	struct err err;

	assert_int_equal(file_write_atomic(at(path), text, strlen(text), 0644, &err), 0);
}

static void assert_file(const char *path, const char *expected)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct err err = {""};

	if (file_read(at(path), 1 << 20, &text, &err) < 0)
		fail_msg("%s", err.text);
	assert_string_equal(buf_string(&text), expected);
}

static int start(void **state)
{
	(void)state;
	strcpy(root, "/tmp/keelson-apply-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	put("/var/lib/keelson/machine-id", "00c0ffee00112233445566778899aabb\n");
	put("/usr/share/zoneinfo/Europe/Berlin", "TZif");
	put("/etc/ssl/certs/ca-certificates.crt", "IMAGE\n");
	put("/proc/sys/vm/swappiness", "60");
	put("/proc/sys/net/ipv4/conf/eth0.1/forwarding", "0");
	return 0;
}

/* Apply a document as instance `id`. Returns what apply_prepare or apply_document returned. */
static int apply_text(const char *id, const char *text, size_t *written, struct buf *problems)
{
	_cleanup_(document_free) struct document document = {0};
	struct seed seed = {.source = (char[]){"NoCloud on /dev/sr0"}, .local_hostname = NULL};
	struct apply apply = {.root = root, .seed = &seed};
	struct err err = {""};
	char instance[64];
	int r = document_read(text, strlen(text), &document);

	if (r < 0) {
		report_print(&document.report, "user-data", problems);
		fail_msg("%s", buf_string(problems));
	}
	snprintf(instance, sizeof instance, "%s", id);
	seed.instance_id = instance;
	seed.values = document.values;
	*written = 0;
	r = apply_prepare(&apply, problems, &err);
	if (!r)
		r = apply_document(&apply, written, problems, &err);
	if (r < 0 && !problems->len)
		buf_add_string(problems, err.text);
	apply_free(&apply);
	return r;
}

static void assert_applied(const char *id, const char *text, size_t files)
{
	_cleanup_(buf_free) struct buf problems = {0};
	size_t written;
	int r = apply_text(id, text, &written, &problems);

	if (r < 0 || problems.len)
		fail_msg("%d: %s", r, buf_string(&problems));
	assert_int_equal(written, files);
}

static void the_smallest_document_makes_a_node(void **state)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	struct err err;
	(void)state;

	assert_applied("i-7", "#cloud-config\nkeelson: {role: single}\n", 0);
	assert_int_equal(node_config_load(at("/run/keelson/node.json"), &config, &err), 0);
	assert_string_equal(config->hostname, "node-00c0ff");
	assert_string_equal(config->instance_id, "i-7");
	assert_string_equal(config->source, "NoCloud on /dev/sr0");
	assert_int_equal(config->role, ROLE_SINGLE);
	assert_int_equal(config->cluster.network, POD_NETWORK_BRIDGE);
	assert_string_equal(config->cluster.name, "kubernetes");
	assert_string_equal(config->cluster.pod_cidr, "10.244.0.0/16");
	assert_string_equal(config->cluster.service_cidr, "10.96.0.0/16");
	assert_string_equal(config->cluster.dns_domain, "cluster.local");
	assert_null(config->cluster.endpoint);
	assert_null(config->cluster.token);
	assert_true(config->ntp.enabled);
	assert_int_equal(config->ntp.servers.count, 0);
	assert_false(config->console_shell);
	assert_int_equal(config->on_failure, ON_FAILURE_KEEP);
	assert_string_equal(json_string_value(json_object_get(config->api, "listen")), "0.0.0.0:7443");
	assert_file("/etc/hostname", "node-00c0ff\n");
	assert_file("/etc/hosts",
		    "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\nff02::1 ip6-allnodes\n"
		    "ff02::2 ip6-allrouters\n127.0.1.1 node-00c0ff\n");
	assert_file("/var/lib/keelson/config/hostname", "node-00c0ff\n");
}

static void files_are_written_with_content_and_rights(void **state)
{
	struct stat st;
	(void)state;

	put("/etc/motd", "from the image\n");
	assert_applied("i-7",
		       "#cloud-config\n"
		       "write_files:\n"
		       "- {path: /etc/motd, content: \"more\\n\", append: true}\n"
		       "- {path: /etc/app/deep/conf, content: x, permissions: '0640', owner: 'root:root'}\n"
		       "- {path: /run/flag}\n"
		       "- {path: /opt/tool, content: !!binary AAEC, permissions: 4755, owner: '0:7'}\n",
		       4);
	assert_file("/etc/motd", "from the image\nmore\n");
	assert_file("/etc/app/deep/conf", "x");
	assert_file("/run/flag", "");
	assert_int_equal(stat(at("/etc/app/deep/conf"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_int_equal(stat(at("/opt/tool"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 04755);
	assert_int_equal(st.st_gid, 7);
	assert_int_equal(st.st_size, 3);
}

static void what_lies_on_state_is_written_once_per_instance(void **state)
{
	static const char text[] = "#cloud-config\nwrite_files:\n- {path: /var/lib/app/x, content: one}\n"
				   "- {path: /etc/x, content: one}\n";
	(void)state;

	assert_applied("i-7", text, 2);
	put("/var/lib/app/x", "changed by the app");
	put("/etc/x", "lost with the boot");
	assert_applied("i-7", text, 1);
	assert_file("/var/lib/app/x", "changed by the app");
	assert_file("/etc/x", "one");
	assert_applied("i-8", text, 2);
	assert_file("/var/lib/app/x", "one");
}

static void deferred_files_come_last(void **state)
{
	(void)state;

	assert_applied("i-7",
		       "#cloud-config\nwrite_files:\n- {path: /etc/x, content: a, defer: true}\n"
		       "- {path: /etc/x, content: b, append: true}\n",
		       2);
	assert_file("/etc/x", "a");
}

static void a_document_that_does_not_fit_changes_nothing(void **state)
{
	_cleanup_(buf_free) struct buf problems = {0};
	struct stat st;
	size_t written;
	(void)state;

	assert_int_equal(mkdir(at("/etc/dir"), 0755), 0);
	assert_int_equal(symlink("/usr", at("/etc/link")), 0);
	assert_int_equal(
		apply_text("i-7",
			   "#cloud-config\nhostname: a\ntimezone: Europe/Atlantis\nwrite_files:\n- {path: /etc/fine, "
			   "content: x}\n"
			   "- {path: /etc/dir, content: x}\n- {path: /etc/link/x, content: x}\n"
			   "- {path: /etc/y, owner: 'nobody-here'}\n- {path: /etc/z, owner: 'root:no-such-group'}\n",
			   &written, &problems),
		-EINVAL);
	assert_string_equal(
		buf_string(&problems),
		"user-data:6:3: write_files[1].path: expected a file, found a directory there\n"
		"user-data:7:3: write_files[2].path: expected directories on the way, found a file or a link\n"
		"user-data:8:3: write_files[3].owner: expected a user of this system, found \"nobody-here\"\n"
		"user-data:9:3: write_files[4].owner: expected a group of this system, found \"no-such-group\"\n"
		"user-data:3:11: timezone: expected a name of /usr/share/zoneinfo, found \"Europe/Atlantis\"\n");
	assert_int_equal(stat(at("/etc/fine"), &st), -1);
	assert_int_equal(stat(at("/etc/hostname"), &st), -1);
	assert_int_equal(stat(at("/run/keelson/node.json"), &st), -1);
}

static void a_link_at_the_end_is_replaced_never_followed(void **state)
{
	(void)state;

	put("/usr/victim", "untouched");
	assert_int_equal(symlink("../usr/victim", at("/etc/x")), 0);
	assert_applied("i-7", "#cloud-config\nwrite_files:\n- {path: /etc/x, content: mine}\n", 1);
	assert_file("/usr/victim", "untouched");
	assert_file("/etc/x", "mine");
}

static void the_system_is_set_as_said(void **state)
{
	char target[200];
	ssize_t len;
	(void)state;

	assert_applied("i-7",
		       "#cloud-config\nfqdn: cp-1.example.org\ntimezone: Europe/Berlin\n"
		       "keelson:\n  sysctls: {vm.swappiness: 10, net/ipv4/conf/eth0.1/forwarding: 1}\n",
		       0);
	len = readlink(at("/etc/localtime"), target, sizeof target - 1);
	assert_true(len > 0);
	target[len] = 0;
	assert_string_equal(target, "/usr/share/zoneinfo/Europe/Berlin");
	assert_file("/etc/timezone", "Europe/Berlin\n");
	assert_file("/etc/hostname", "cp-1\n");
	assert_file("/proc/sys/vm/swappiness", "10");
	assert_file("/proc/sys/net/ipv4/conf/eth0.1/forwarding", "1");
}

static void an_unknown_kernel_setting_is_told_and_stops_nothing(void **state)
{
	_cleanup_(buf_free) struct buf problems = {0}, expected = {0};
	size_t written;
	(void)state;

	assert_int_equal(apply_text("i-7", "#cloud-config\nkeelson:\n  sysctls: {vm.none: 1, vm.swappiness: 15}\n",
				    &written, &problems),
			 0);
	buf_addf(&expected, "sysctl vm.none: open %s/proc/sys/vm/none: No such file or directory\n", root);
	assert_string_equal(buf_string(&problems), buf_string(&expected));
	assert_file("/proc/sys/vm/swappiness", "15");
}

static void authorities_are_added_to_those_of_the_image_once(void **state)
{
	_cleanup_(buf_free) struct buf pem = {0}, text = {0}, expected = {0};
	struct err err;
	(void)state;

	assert_int_equal(file_read("tests/data/config/ca.pem", 8192, &pem, &err), 0);
	buf_add_string(&text, "#cloud-config\nca_certs:\n  trusted:\n  - |\n");
	for (const char *line = pem.data; *line; line += strcspn(line, "\n") + 1)
		buf_addf(&text, "    %.*s\n", (int)strcspn(line, "\n"), line);
	buf_addf(&expected, "IMAGE\n%s", pem.data);
	assert_applied("i-7", text.data, 0);
	assert_file("/etc/ssl/certs/ca-certificates.crt", expected.data);
	assert_applied("i-7", text.data, 0);
	assert_file("/etc/ssl/certs/ca-certificates.crt", expected.data);
	assert_applied("i-7", "#cloud-config\nca_certs: {remove_defaults: true}\n", 0);
	assert_file("/etc/ssl/certs/ca-certificates.crt", "");
}

static void dots_and_slashes_of_kernel_settings_are_understood(void **state)
{
	static const char *const cases[][2] = {
		{"vm.swappiness", "/proc/sys/vm/swappiness"},
		{"net.ipv4.conf.eth0/1.forwarding", "/proc/sys/net/ipv4/conf/eth0.1/forwarding"},
		{"net/ipv4/conf/eth0.1/forwarding", "/proc/sys/net/ipv4/conf/eth0.1/forwarding"},
	};
	char path[100];
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(sysctl_path("", cases[i][0], path, sizeof path), 0);
		assert_string_equal(path, cases[i][1]);
	}
	assert_int_equal(sysctl_path("", "a.b", path, 10), -ENAMETOOLONG);
}

static void a_node_is_never_renamed(void **state)
{
	static const struct {
		const char *document, *local, *kept, *name, *full, *refused, *odd;
	} cases[] = {
		{"", NULL, NULL, "node-0123ab", "", "", ""},
		{"", "cp-1", NULL, "cp-1", "", "", ""},
		{"", "Cp-1.Example.org", NULL, "cp-1", "cp-1.example.org", "", ""},
		{"", "my machine", NULL, "node-0123ab", "", "", "my machine"},
		{"hostname: a", "cp-1", NULL, "a", "", "", ""},
		{"hostname: a.b.c", NULL, NULL, "a", "a.b.c", "", ""},
		{"fqdn: a.b.c", NULL, NULL, "a", "a.b.c", "", ""},
		{"hostname: x\nfqdn: a.b.c", NULL, NULL, "x", "a.b.c", "", ""},
		{"hostname: x\nfqdn: a.b.c\nprefer_fqdn_over_hostname: true", NULL, NULL, "a.b.c", "a.b.c", "", ""},
		{"hostname: a", NULL, "a", "a", "", "", ""},
		{"hostname: b", NULL, "a", "a", "", "b", ""},
		{"", NULL, "a", "a", "", "", ""},
		{"", NULL, "../x", "node-0123ab", "", "", ""},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		_cleanup_(document_free) struct document document = {0};
		struct node_name name;
		char text[200];

		snprintf(text, sizeof text, "#cloud-config\n%s\n", cases[i].document);
		assert_int_equal(document_read(text, strlen(text), &document), 0);
		choose_node_name(document.values, cases[i].local, "0123abcdef0123456789abcdef012345", cases[i].kept,
				 &name);
		assert_string_equal(name.name, cases[i].name);
		assert_string_equal(name.full, cases[i].full);
		assert_string_equal(name.refused, cases[i].refused);
		assert_string_equal(name.odd, cases[i].odd);
	}
}

/* A name of 253 characters is one, a longer one is passed over and not cut to one. */
static void a_name_of_the_meta_data_is_as_long_as_it_may_be(void **state)
{
	_cleanup_(document_free) struct document document = {0};
	static const char text[] = "#cloud-config\n";
	struct node_name name;
	char local[300];
	(void)state;

	assert_int_equal(document_read(text, sizeof text - 1, &document), 0);
	memset(local, 'a', sizeof local);
	for (size_t i = 1; i < sizeof local; i += 2)
		local[i] = '.';
	for (size_t len = 253; len <= 255; len += 2) {
		char full[300];

		snprintf(full, sizeof full, "%.*s", (int)len, local);
		choose_node_name(document.values, full, "0123abcdef0123456789abcdef012345", NULL, &name);
		assert_string_equal(name.name, len == 253 ? "a" : "node-0123ab");
		assert_int_equal(strlen(name.odd), len == 253 ? 0 : 253);
	}
}

static void what_is_no_node_is_told(void **state)
{
	json_t *good = json_object(), *bad = json_pack("{s:{s:{s:i}}}", "keelson", "cluster", "endpoint", 5);
	_cleanup_(node_config_freep) struct node_config *first = NULL, *second = NULL;
	struct err err = {""};
	(void)state;

	assert_int_equal(make_node_config(good, "i-1", "a", "seed", &first, &err), 0);
	assert_string_equal(err.text, "");
	assert_true(make_node_config(bad, "i-1", "a", "seed", &second, &err) < 0);
	assert_int_equal(strncmp(err.text, "node configuration: ", 20), 0);
	json_decref(good);
	json_decref(bad);
}

static void everything_given_reaches_the_later_steps(void **state)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	_cleanup_(buf_free) struct buf text = {0}, json = {0};
	struct err err = {""};
	(void)state;

	assert_int_equal(file_read("tests/data/config/good-everything.yaml", 1 << 20, &text, &err), 0);
	assert_int_equal(document_read(text.data, text.len, &document), 0);
	assert_int_equal(make_node_config(document.values, "i-7", "cp-1", "NoCloud on /dev/sr0", &config, &err), 0);
	assert_int_equal(node_config_save(at("/node.json"), config, &err), 0);
	assert_int_equal(file_read(at("/node.json"), 1 << 20, &json, &err), 0);
	assert_golden("config/good-everything.node.json", buf_string(&json));
}

/* The schema refuses such paths before; whoever comes by another way is refused here. */
static void no_file_is_planned_elsewhere(void **state)
{
	static const char *const good[] = {
		"/etc/x", "/run/x", "/var/x", "/opt/x", "/tmp/x", "/run/keelson2", "/var/lib/keelson.d/x"};
	static const char *const bad[] = {"/usr/x", "/x", "/vary/x", "etc/x", "/run/keelson/x", "/var/lib/keelson/x"};
	(void)state;

	for (size_t i = 0; i < sizeof good / sizeof *good + sizeof bad / sizeof *bad; i++) {
		bool is_good = i < sizeof good / sizeof *good;
		const char *path = is_good ? good[i] : bad[i - sizeof good / sizeof *good];
		json_t *values = json_pack("{s:[{s:s, s:s}]}", "write_files", "path", path, "data", "");
		_cleanup_(buf_free) struct buf problems = {0};
		struct file_plan plan = {0};

		assert_int_equal(plan_files(root, values, &plan, &problems), is_good ? 0 : -EINVAL);
		if (!is_good)
			assert_string_equal(
				buf_string(&problems),
				"user-data:0:0: write_files[0].path: expected a path that can be written\n");
		file_plan_free(&plan);
		json_decref(values);
	}
}

static void an_owner_is_a_name_or_a_number(void **state)
{
	static const struct {
		const char *owner;
		int r;
	} rows[] = {{"0:0", 0},
		    {"999999999:999999999", 0},
		    {"1000000000:0", -EINVAL},
		    {"0:1000000000", -EINVAL},
		    {"root:root", 0},
		    {"7", 0},
		    {"1x:0", -EINVAL},
		    {"0:1x", -EINVAL},
		    {"x", -EINVAL},
		    {":0", -EINVAL}};
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		json_t *values = json_pack("{s:[{s:s, s:s, s:s}]}", "write_files", "path", "/etc/x", "data", "",
					   "owner", rows[i].owner);
		_cleanup_(buf_free) struct buf problems = {0};
		struct file_plan plan = {0};

		if (plan_files(root, values, &plan, &problems) != rows[i].r)
			fail_msg("%s: expected %d, found \"%s\"", rows[i].owner, rows[i].r, buf_string(&problems));
		file_plan_free(&plan);
		json_decref(values);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_smallest_document_makes_a_node, start),
		cmocka_unit_test_setup(files_are_written_with_content_and_rights, start),
		cmocka_unit_test_setup(what_lies_on_state_is_written_once_per_instance, start),
		cmocka_unit_test_setup(deferred_files_come_last, start),
		cmocka_unit_test_setup(a_document_that_does_not_fit_changes_nothing, start),
		cmocka_unit_test_setup(a_link_at_the_end_is_replaced_never_followed, start),
		cmocka_unit_test_setup(the_system_is_set_as_said, start),
		cmocka_unit_test_setup(an_unknown_kernel_setting_is_told_and_stops_nothing, start),
		cmocka_unit_test_setup(authorities_are_added_to_those_of_the_image_once, start),
		cmocka_unit_test(dots_and_slashes_of_kernel_settings_are_understood),
		cmocka_unit_test(a_node_is_never_renamed),
		cmocka_unit_test(a_name_of_the_meta_data_is_as_long_as_it_may_be),
		cmocka_unit_test(what_is_no_node_is_told),
		cmocka_unit_test_setup(everything_given_reaches_the_later_steps, start),
		cmocka_unit_test_setup(no_file_is_planned_elsewhere, start),
		cmocka_unit_test_setup(an_owner_is_a_name_or_a_number, start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
