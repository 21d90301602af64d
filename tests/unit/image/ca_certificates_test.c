#include "root/ca_certificates.h"

#include "root/parts.h"
#include "scratch.h"

#define CERTIFICATE "tests/data/image/isrg_root_x1.crt"

static struct err err;

static void openssl_looks_for_the_same_hash(void **state)
{
	const char *argv[] = {"openssl", "x509", "-noout", "-subject_hash", "-in", CERTIFICATE, NULL};
	struct buf said = {0}, pem = {0};
	char hash[CA_HASH_TEXT];
	(void)state;

	run_into(argv, &said);
	said.data[strcspn(said.data, "\n")] = 0;
	assert_int_equal(file_read(CERTIFICATE, 65536, &pem, &err), 0);
	assert_int_equal(ca_hash(pem.data, pem.len, hash, &err), 0);
	assert_string_equal(hash, said.data);
	buf_free(&said);
	buf_free(&pem);
}

static void names_are_those_of_update_ca_certificates(void **state)
{
	char name[64];
	(void)state;

	assert_int_equal(ca_file_name("/usr/share/x/GlobalSign Root, (R3).crt", name, sizeof name), 0);
	assert_string_equal(name, "GlobalSign_Root__=R3=.pem");
	assert_int_equal(ca_file_name("/usr/share/x/a.crt", name, 5), -ENAMETOOLONG);
}

/* openssl rehash makes the same links. */
static void links_are_those_of_rehash(void **state)
{
	const char *argv[] = {"openssl", "rehash", in_scratch("certs"), NULL};
	struct tree tree = {0};
	struct buf said = {0};
	char path[300];
	size_t count = 0;
	(void)state;

	assert_int_equal(
		tree_add_file(&tree, "/usr/share/ca-certificates/mozilla/ISRG_Root_X1.crt", 0644, CERTIFICATE, &err),
		0);
	/* The same name a second time: another number behind the hash. */
	assert_int_equal(tree_add_file(&tree, "/usr/share/ca-certificates/mozilla/Second.crt", 0644, CERTIFICATE, &err),
			 0);
	assert_int_equal(tree_complete(&tree, &err), 0);
	assert_int_equal(add_ca_certificates(&tree, &count, &err), 0);
	assert_int_equal(count, 2);
	assert_int_equal(make_directories(argv[2], 0755, &err), 0);
	snprintf(path, sizeof path, "%s/ISRG_Root_X1.pem", argv[2]);
	write_text(path, tree_find(&tree, "/etc/ssl/certs/ISRG_Root_X1.pem") ? "" : "none");
	{
		struct buf pem = {0};

		assert_int_equal(file_read(CERTIFICATE, 65536, &pem, &err), 0);
		write_text(path, pem.data);
		buf_free(&pem);
	}
	run_into(argv, &said);
	for (size_t i = tree_lower_bound(&tree, "/etc/ssl/certs/"); i < tree.count; i++) {
		const struct node *node = tree.nodes[i];
		size_t len = strlen(node->path);

		if (node->type != NODE_LINK || node->path[len - 1] != '0')
			continue;
		snprintf(path, sizeof path, "%s/%s", argv[2], strrchr(node->path, '/') + 1);
		assert_int_equal(access(path, R_OK), 0);
		assert_string_equal(node->target, "ISRG_Root_X1.pem");
	}
	assert_int_equal(tree_find(&tree, "/etc/ssl/certs/ca-certificates.crt")->size,
			 2 * tree_find(&tree, "/etc/ssl/certs/Second.pem")->size);
	buf_free(&said);
	tree_free(&tree);
}

static void what_is_no_certificate_is_refused(void **state)
{
	char hash[CA_HASH_TEXT];
	struct tree tree = {0};
	size_t count = 0;
	(void)state;

	assert_int_equal(ca_hash("text", 4, hash, &err), -EBADMSG);
	assert_int_equal(tree_add_text(&tree, "/usr/share/ca-certificates/x.crt", 0644, "text", &err), 0);
	assert_int_equal(add_ca_certificates(&tree, &count, &err), -EBADMSG);
	tree_remove(&tree, "/usr/share/ca-certificates/x.crt");
	assert_int_equal(add_ca_certificates(&tree, &count, &err), -ENOENT);
	tree_free(&tree);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openssl_looks_for_the_same_hash),
		cmocka_unit_test(names_are_those_of_update_ca_certificates),
		cmocka_unit_test(links_are_those_of_rehash),
		cmocka_unit_test(what_is_no_certificate_is_refused),
	};

	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
