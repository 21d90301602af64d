/* The certificates, judged by OpenSSL's own tool. */
#include "cluster/pki.h"

#include <openssl/x509v3.h>
#include <sys/stat.h>

#include "cluster/render.h"
#include "lib/base64.h"
#include "lib/file.h"
#include "lib/process.h"
#include "unit/cluster/fixture.h"

static char root[] = "/tmp/keelson-pki-XXXXXX";
static char saved[64], pki_directory[64];

static void make_node(struct fixture *f, struct pki *pki, const char *version)
{
	struct err err = {{0}};

	memset(pki, 0, sizeof *pki);
	fixture_make(f, version);
	if (pki_load_authorities(&f->cluster, saved, pki, &err) < 0 || pki_make_leaves(&f->cluster, pki, &err) < 0 ||
	    pki_write(&f->cluster, pki, pki_directory, &err) < 0)
		fail_msg("%s", err.text);
}

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(root))
		return -1;
	snprintf(saved, sizeof saved, "%s/saved/pki", root);
	snprintf(pki_directory, sizeof pki_directory, "%s/pki", root);
	return 0;
}

static int unmake(void **state)
{
	const char *const argv[] = {"rm", "-rf", root, NULL};
	struct process process = {.argv = argv, .timeout_ms = 10000};
	(void)state;

	return process_run(&process, NULL);
}

static void verify(const char *authority, const char *name, const char *purpose)
{
	char ca[128], leaf[128];
	const char *const argv[] = {"openssl", "verify", "-x509_strict", "-purpose", purpose, "-attime", "1764550800",
				    "-CAfile", ca,	 leaf,		 NULL};
	struct buf output = {0};
	struct process process = {.argv = argv, .output = &output, .timeout_ms = 20000};
	struct err err = {{0}};

	snprintf(ca, sizeof ca, "%s/%s.crt", pki_directory, authority);
	snprintf(leaf, sizeof leaf, "%s/%s.crt", pki_directory, name);
	if (process_run(&process, &err) != 0)
		fail_msg("openssl verify %s for %s: %s", name, purpose, err.text);
	buf_free(&output);
}

static void every_certificate_is_good_for_its_purpose_and_no_other_authority(void **state)
{
	struct fixture f;
	struct pki pki;
	(void)state;

	make_node(&f, &pki, "v1.30.0");
	verify("ca", "apiserver", "sslserver");
	verify("ca", "kubelet", "sslserver");
	verify("ca", "apiserver-kubelet-client", "sslclient");
	verify("ca", "kubelet-client", "sslclient");
	verify("ca", "admin", "sslclient");
	verify("ca", "super-admin", "sslclient");
	verify("ca", "controller-manager", "sslclient");
	verify("ca", "scheduler", "sslclient");
	verify("ca", "kube-proxy", "sslclient");
	verify("ca", "keelson", "sslclient");
	verify("etcd/ca", "etcd/server", "sslserver");
	verify("etcd/ca", "etcd/server", "sslclient");
	verify("etcd/ca", "etcd/peer", "sslserver");
	verify("etcd/ca", "etcd/peer", "sslclient");
	verify("etcd/ca", "etcd/healthcheck-client", "sslclient");
	verify("etcd/ca", "apiserver-etcd-client", "sslclient");
	verify("front-proxy-ca", "front-proxy-client", "sslclient");
	pki_free(&pki);
}

/* What a person checks by eye, without what differs at every making. */
static void describe(const char *name, struct buf *text)
{
	char path[128];
	const char *const argv[] = {"openssl",
				    "x509",
				    "-in",
				    path,
				    "-noout",
				    "-subject",
				    "-issuer",
				    "-startdate",
				    "-enddate",
				    "-ext",
				    "subjectAltName,keyUsage,extendedKeyUsage,basicConstraints",
				    NULL};
	struct process process = {.argv = argv, .output = text, .timeout_ms = 20000};
	struct err err = {{0}};

	snprintf(path, sizeof path, "%s/%s.crt", pki_directory, name);
	buf_addf(text, "--- %s\n", name);
	if (process_run(&process, &err) != 0)
		fail_msg("openssl x509 %s: %s", name, err.text);
}

static void describe_all(const char *version, const char *golden)
{
	static const char *const names[] = {"ca",
					    "apiserver",
					    "apiserver-kubelet-client",
					    "apiserver-etcd-client",
					    "etcd/ca",
					    "etcd/server",
					    "etcd/peer",
					    "etcd/healthcheck-client",
					    "front-proxy-ca",
					    "front-proxy-client",
					    "kubelet",
					    "kubelet-client",
					    "admin",
					    "controller-manager",
					    "scheduler",
					    "kube-proxy",
					    "keelson",
					    NULL};
	struct buf text = {0};
	struct fixture f;
	struct pki pki;

	make_node(&f, &pki, version);
	for (const char *const *name = names; *name; name++)
		describe(*name, &text);
	assert_golden(golden, buf_string(&text));
	buf_free(&text);
	pki_free(&pki);
}

static void names_and_groups_are_kubeadms(void **state)
{
	(void)state;
	describe_all("v1.20.2", "cluster/certificates-1.20.txt");
	describe_all("v1.30.0", "cluster/certificates-1.30.txt");
}

/* RFC 5280 bounds a common name to 64 characters, and OpenSSL holds to it when it is asked to; a Node's name has up to
 * 253 behind "system:node:", Go's X.509 knows no bound, and so kubeadm makes such certificates too. */
static void the_longest_node_name_gets_its_certificates(void **state)
{
	char subject[300];
	struct err err = {{0}};
	struct pki pki = {0};
	struct fixture f;
	(void)state;

	fixture_config(&f);
	f.config.hostname = (char *)"n123456789-123456789-123456789-123456789-123456789-123456789-12";
	fixture_derive(&f, "v1.20.2");
	if (pki_load_authorities(&f.cluster, saved, &pki, &err) < 0 || pki_make_leaves(&f.cluster, &pki, &err) < 0)
		fail_msg("%s", err.text);
	assert_non_null(X509_NAME_oneline(X509_get_subject_name(pki.leaves[LEAF_KUBELET_CLIENT].certificate), subject,
					  sizeof subject));
	assert_string_equal(
		subject,
		"/O=system:nodes/CN=system:node:n123456789-123456789-123456789-123456789-123456789-123456789-12");
	pki_free(&pki);
}

/* As many as the schema allows. */
static void a_hundred_further_names_get_into_the_certificate(void **state)
{
	static char text[100][16];
	char *names[100];
	struct err err = {{0}};
	struct pki pki = {0};
	struct fixture f;
	(void)state;

	fixture_config(&f);
	for (int i = 0; i < 100; i++) {
		snprintf(text[i], sizeof text[i], "api-%d", i);
		names[i] = text[i];
	}
	f.config.cluster.cert_sans.items = names;
	f.config.cluster.cert_sans.count = 100;
	f.config.cluster.endpoint = (char *)"https://api.example.org:6443";
	fixture_derive(&f, "v1.20.2");
	if (pki_load_authorities(&f.cluster, saved, &pki, &err) < 0 || pki_make_leaves(&f.cluster, &pki, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(X509_check_host(pki.leaves[LEAF_APISERVER].certificate, "api-99", 0, 0, NULL), 1);
	pki_free(&pki);
}

static void authorities_persist_and_leaves_are_new(void **state)
{
	char ca[128], leaf[128];
	struct buf ca1 = {0}, ca2 = {0}, leaf1 = {0}, leaf2 = {0};
	struct fixture f;
	struct pki pki;
	(void)state;

	snprintf(ca, sizeof ca, "%s/ca.crt", pki_directory);
	snprintf(leaf, sizeof leaf, "%s/apiserver.crt", pki_directory);
	make_node(&f, &pki, "v1.20.2");
	pki_free(&pki);
	assert_int_equal(file_read(ca, 10000, &ca1, NULL), 0);
	assert_int_equal(file_read(leaf, 10000, &leaf1, NULL), 0);
	make_node(&f, &pki, "v1.20.2");
	pki_free(&pki);
	assert_int_equal(file_read(ca, 10000, &ca2, NULL), 0);
	assert_int_equal(file_read(leaf, 10000, &leaf2, NULL), 0);
	assert_string_equal(buf_string(&ca1), buf_string(&ca2));
	assert_string_not_equal(buf_string(&leaf1), buf_string(&leaf2));
	buf_free(&ca1);
	buf_free(&ca2);
	buf_free(&leaf1);
	buf_free(&leaf2);
}

static void a_missing_key_is_named_and_nothing_is_made_anew(void **state)
{
	char key[128], away[140];
	struct err err = {{0}};
	struct pki pki = {0};
	struct fixture f;
	(void)state;

	snprintf(key, sizeof key, "%s/etcd/ca.key", saved);
	snprintf(away, sizeof away, "%s.away", key);
	assert_int_equal(rename(key, away), 0);
	fixture_make(&f, "v1.20.2");
	assert_int_equal(pki_load_authorities(&f.cluster, saved, &pki, &err), -ENOENT);
	assert_non_null(strstr(err.text, "etcd/ca.key: No such file or directory"));
	assert_int_equal(access(key, F_OK), -1);
	pki_free(&pki);
	assert_int_equal(rename(away, key), 0);
}

static void what_a_power_cut_left_beside_is_made_anew(void **state)
{
	char other[128], junk[160];
	struct pki pki = {0};
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	snprintf(other, sizeof other, "%s/cut/pki", root);
	snprintf(junk, sizeof junk, "%s.new/etcd/ca.key", other);
	assert_int_equal(file_write_atomic(junk, "half", 4, 0600, &err), 0);
	fixture_make(&f, "v1.20.2");
	if (pki_load_authorities(&f.cluster, other, &pki, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(access(junk, F_OK), -1);
	pki_free(&pki);
}

static void a_given_authority_is_used_and_must_be_one(void **state)
{
	char path[128];
	struct buf certificate = {0}, key = {0}, leaf = {0}, leaf_key = {0};
	struct err err = {{0}};
	struct pki pki = {0};
	struct fixture f;
	(void)state;

	snprintf(path, sizeof path, "%s/ca.crt", saved);
	assert_int_equal(file_read(path, 10000, &certificate, NULL), 0);
	snprintf(path, sizeof path, "%s/ca.key", saved);
	assert_int_equal(file_read(path, 10000, &key, NULL), 0);
	snprintf(path, sizeof path, "%s/admin.crt", pki_directory);
	assert_int_equal(file_read(path, 10000, &leaf, NULL), 0);
	snprintf(path, sizeof path, "%s/admin.key", pki_directory);
	assert_int_equal(file_read(path, 10000, &leaf_key, NULL), 0);
	snprintf(path, sizeof path, "%s/given/pki", root);
	fixture_config(&f);
	f.config.role = ROLE_CONTROL_PLANE;
	f.config.cluster.ca_certificate = certificate.data;
	fixture_derive(&f, "v1.20.2");
	assert_int_equal(pki_load_authorities(&f.cluster, path, &pki, &err), -EINVAL);
	assert_string_equal(
		err.text, "PKI: keelson.cluster.ca.key: expected the CA's private key on a control-plane, found none");
	f.config.cluster.ca_key = leaf_key.data;
	pki_free(&pki);
	assert_int_equal(pki_load_authorities(&f.cluster, path, &pki, &err), -EINVAL);
	assert_string_equal(err.text, "PKI: keelson.cluster.ca: the private key is not the certificate's");
	f.config.cluster.ca_certificate = leaf.data;
	pki_free(&pki);
	assert_int_equal(pki_load_authorities(&f.cluster, path, &pki, &err), -EINVAL);
	assert_string_equal(err.text, "PKI: keelson.cluster.ca: expected the certificate of an authority (CA:TRUE)");
	f.config.cluster.ca_certificate = certificate.data;
	f.config.cluster.ca_key = key.data;
	pki_free(&pki);
	if (pki_load_authorities(&f.cluster, path, &pki, &err) < 0)
		fail_msg("%s", err.text);
	pki_free(&pki);
	snprintf(path, sizeof path, "%s/given/pki/ca.crt", root);
	assert_int_equal(access(path, F_OK), -1);
	buf_free(&certificate);
	buf_free(&key);
	buf_free(&leaf);
	buf_free(&leaf_key);
}

static void a_kubeconfig_holds_everything_it_needs(void **state)
{
	const char *certificate, *key;
	struct buf pem = {0};
	struct x509_pair pair = {0};
	struct err err = {{0}};
	json_t *tree = NULL, *user;
	struct fixture f;
	struct pki pki;
	(void)state;

	make_node(&f, &pki, "v1.20.2");
	assert_int_equal(render_kubeconfig(&f.cluster, &pki, LEAF_ADMIN, "kubernetes-admin", "https://127.0.0.1:6443",
					   &tree, &err),
			 0);
	assert_string_equal(json_string_value(json_object_get(tree, "current-context")), "kubernetes-admin@demo");
	user = json_object_get(json_array_get(json_object_get(tree, "users"), 0), "user");
	certificate = json_string_value(json_object_get(user, "client-certificate-data"));
	key = json_string_value(json_object_get(user, "client-key-data"));
	assert_int_equal(base64_decode(certificate, strlen(certificate), &pem), 0);
	assert_int_equal(base64_decode(key, strlen(key), &pem), 0);
	if (x509_read(buf_string(&pem), buf_string(&pem), &pair, &err) < 0)
		fail_msg("%s", err.text);
	x509_pair_free(&pair);
	buf_free(&pem);
	json_decref(tree);
	pki_free(&pki);
}

static void keys_are_nobody_elses(void **state)
{
	static const char *const keys[] = {"ca.key", "sa.key", "apiserver.key", "admin.key", NULL};
	struct stat st;
	char path[128];
	(void)state;

	for (const char *const *key = keys; *key; key++) {
		snprintf(path, sizeof path, "%s/%s", pki_directory, *key);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 07777, 0600);
	}
	snprintf(path, sizeof path, "%s/etcd/server.key", pki_directory);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0007, 0);
	if (geteuid() == 0)
		assert_int_equal(st.st_gid, ETCD_UID);
}

static void the_endpoint_and_more_names_stand_in_the_certificate_of_the_api(void **state)
{
	static const struct {
		const char *endpoint, *dns, *address;
	} rows[] = {
		{"https://api.example.org:6443", "api.example.org", NULL},
		{"api.example.org/", "api.example.org", NULL},
		{"https://10.0.0.10:6443", NULL, "10.0.0.10"},
		{"https://[fd00::10]:6443", NULL, "fd00::10"},
		{"https://10.0.2.15:6443", NULL, NULL}, /* the node's own, which is there already */
	};
	struct pki_leaf_plan plan;
	struct fixture f;
	(void)state;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		fixture_config(&f);
		f.config.cluster.endpoint = (char *)(uintptr_t)rows[i].endpoint;
		fixture_derive(&f, "v1.20.2");
		assert_int_equal(pki_leaf_plan(&f.cluster, LEAF_APISERVER, &plan, NULL), 0);
		assert_string_equal(plan.dns_names[4], "cp-1");
		assert_string_equal(plan.dns_names[6] ? plan.dns_names[6] : "", rows[i].dns ? rows[i].dns : "");
		assert_string_equal(plan.addresses[2], "127.0.0.1");
		assert_string_equal(plan.addresses[3] ? plan.addresses[3] : "", rows[i].address ? rows[i].address : "");
	}
}

static void more_names_than_a_certificate_takes_are_refused(void **state)
{
	char names[PKI_NAMES][16], *items[PKI_NAMES];
	struct pki_leaf_plan plan;
	struct err err = {{0}};
	struct fixture f;
	(void)state;

	for (size_t i = 0; i < PKI_NAMES; i++) {
		snprintf(names[i], sizeof names[i], "n%zu", i);
		items[i] = names[i];
	}
	fixture_make(&f, "v1.20.2");
	f.config.cluster.cert_sans = (struct string_list){items, PKI_NAMES - 7}; /* beside six and an end */
	assert_int_equal(pki_leaf_plan(&f.cluster, LEAF_APISERVER, &plan, &err), 0);
	assert_string_equal(plan.dns_names[PKI_NAMES - 2], names[PKI_NAMES - 8]);
	f.config.cluster.cert_sans.count++;
	assert_int_equal(pki_leaf_plan(&f.cluster, LEAF_APISERVER, &plan, &err), -E2BIG);
	assert_non_null(strstr(err.text, "keelson.cluster.api_server.cert_sans: expected at most"));
}

static void a_worker_makes_no_certificates(void **state)
{
	struct fixture f;
	(void)state;

	fixture_config(&f);
	f.config.role = ROLE_WORKER;
	f.config.cluster.endpoint = (char *)"https://10.0.0.10:6443";
	fixture_derive(&f, "v1.30.0");
	for (int leaf = 0; leaf < PKI_LEAVES; leaf++)
		assert_false(pki_leaf_wanted(&f.cluster, (enum pki_leaf)leaf));
	fixture_make(&f, "v1.20.2");
	assert_true(pki_leaf_wanted(&f.cluster, LEAF_ADMIN));
	assert_false(pki_leaf_wanted(&f.cluster, LEAF_SUPER_ADMIN)); /* since 1.29 */
	fixture_make(&f, "v1.30.0");
	assert_true(pki_leaf_wanted(&f.cluster, LEAF_SUPER_ADMIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_certificate_is_good_for_its_purpose_and_no_other_authority),
		cmocka_unit_test(names_and_groups_are_kubeadms),
		cmocka_unit_test(the_longest_node_name_gets_its_certificates),
		cmocka_unit_test(a_hundred_further_names_get_into_the_certificate),
		cmocka_unit_test(authorities_persist_and_leaves_are_new),
		cmocka_unit_test(a_missing_key_is_named_and_nothing_is_made_anew),
		cmocka_unit_test(what_a_power_cut_left_beside_is_made_anew),
		cmocka_unit_test(a_given_authority_is_used_and_must_be_one),
		cmocka_unit_test(a_kubeconfig_holds_everything_it_needs),
		cmocka_unit_test(keys_are_nobody_elses),
		cmocka_unit_test(the_endpoint_and_more_names_stand_in_the_certificate_of_the_api),
		cmocka_unit_test(more_names_than_a_certificate_takes_are_refused),
		cmocka_unit_test(a_worker_makes_no_certificates),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
