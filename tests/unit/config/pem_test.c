/* Certificates and keys, made here. */
#include "config/check_pem.h"

#include <openssl/pem.h>

#include "lib/cleanup.h"
#include "lib/x509.h"
#include "unit/test.h"

static struct buf certificate, key, other_key;

static void make_pair(const char *name, struct buf *pem, struct buf *key_pem)
{
	struct x509_request request = {
		.common_name = name, .authority = true, .not_before = 1764547200, .not_after = 1764547200 + 86400};
	struct x509_pair pair = {0};
	struct err err = {{0}};

	if (x509_issue(&request, NULL, &pair, &err) < 0 || x509_write_key(pair.key, key_pem, &err) < 0 ||
	    (pem && x509_write_certificate(pair.certificate, pem, &err) < 0))
		fail_msg("%s", err.text);
	x509_pair_free(&pair);
}

static int make(void **state)
{
	(void)state;
	make_pair("a", &certificate, &key);
	make_pair("b", NULL, &other_key);
	return 0;
}

static int unmake(void **state)
{
	(void)state;
	buf_free(&certificate);
	buf_free(&key);
	buf_free(&other_key);
	return 0;
}

static void a_hundred_certificates_are_as_many_as_may_be(void **state)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct err expected = {""};
	(void)state;

	for (int i = 0; i < 100; i++)
		buf_add_string(&text, buf_string(&certificate));
	assert_true(pem_is_certificates(buf_string(&text), &expected));
	assert_string_equal(expected.text, "");
	buf_add_string(&text, buf_string(&certificate));
	assert_false(pem_is_certificates(buf_string(&text), &expected));
}

static void text_between_certificates_is_passed_over(void **state)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct err expected = {""};
	(void)state;

	buf_addf(&text, "# ours\n%s\n# and again\n%s# end\n", buf_string(&certificate), buf_string(&certificate));
	assert_true(pem_is_certificates(buf_string(&text), &expected));
	assert_false(pem_is_certificates("", &expected));
	assert_false(pem_is_certificates("no certificate", &expected));
	assert_string_equal(expected.text, "");
}

static void the_damaged_one_of_several_certificates_is_named(void **state)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct err expected = {""};
	(void)state;

	buf_addf(&text, "%s%.200s", buf_string(&certificate), buf_string(&certificate));
	assert_false(pem_is_certificates(buf_string(&text), &expected));
	assert_string_equal(expected.text,
			    "whole PEM certificates (\"-----BEGIN CERTIFICATE-----\" …), certificate 2 is "
			    "damaged");
}

static void a_key_among_certificates_is_refused(void **state)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct err expected = {""};
	(void)state;

	buf_addf(&text, "%s%s", buf_string(&certificate), buf_string(&key));
	assert_false(pem_is_certificates(buf_string(&text), &expected));
	assert_false(pem_is_certificates(buf_string(&key), &expected));
}

static void a_key_has_no_password(void **state)
{
	_cleanup_(buf_free) struct buf locked = {0};
	BIO *bio = BIO_new(BIO_s_mem());
	struct x509_pair pair = {0};
	struct err expected = {""};
	char *bytes;
	long len;
	(void)state;

	assert_int_equal(x509_read(buf_string(&certificate), buf_string(&key), &pair, &expected), 0);
	assert_int_equal(PEM_write_bio_PrivateKey(bio, pair.key, EVP_aes_128_cbc(), (const unsigned char *)"open", 4,
						  NULL, NULL),
			 1);
	len = BIO_get_mem_data(bio, &bytes);
	assert_int_equal(buf_add(&locked, bytes, (size_t)len), 0);
	assert_true(pem_is_private_key(buf_string(&key), &expected));
	assert_false(pem_is_private_key(buf_string(&certificate), &expected));
	assert_string_equal(expected.text, "");
	assert_false(pem_is_private_key(buf_string(&locked), &expected));
	assert_string_equal(expected.text, "a PEM private key without a password");
	BIO_free(bio);
	x509_pair_free(&pair);
}

static void a_key_belongs_to_its_certificate_only(void **state)
{
	(void)state;
	assert_true(pem_key_matches(buf_string(&certificate), buf_string(&key)));
	assert_false(pem_key_matches(buf_string(&certificate), buf_string(&other_key)));
	assert_false(pem_key_matches(buf_string(&certificate), "no key"));
	assert_false(pem_key_matches("no certificate", buf_string(&key)));
}

static int empty_password(char *buf, int size, int writing, void *arg)
{
	(void)size;
	(void)writing;
	(void)arg;
	*buf = 0;
	return 0;
}

static void an_empty_password_is_one_too(void **state)
{
	_cleanup_(buf_free) struct buf locked = {0};
	BIO *bio = BIO_new(BIO_s_mem());
	struct x509_pair pair = {0};
	struct err expected = {""};
	EVP_PKEY *opened;
	char *bytes;
	long len;
	(void)state;

	assert_int_equal(x509_read(buf_string(&certificate), buf_string(&key), &pair, &expected), 0);
	assert_int_equal(
		PEM_write_bio_PrivateKey(bio, pair.key, EVP_aes_128_cbc(), (const unsigned char *)"", 0, NULL, NULL),
		1);
	len = BIO_get_mem_data(bio, &bytes);
	assert_int_equal(buf_add(&locked, bytes, (size_t)len), 0);
	opened = PEM_read_bio_PrivateKey(bio, NULL, empty_password, NULL);
	assert_non_null(opened);
	assert_false(pem_is_private_key(buf_string(&locked), &expected));
	assert_string_equal(expected.text, "a PEM private key without a password");
	EVP_PKEY_free(opened);
	BIO_free(bio);
	x509_pair_free(&pair);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_hundred_certificates_are_as_many_as_may_be),
		cmocka_unit_test(text_between_certificates_is_passed_over),
		cmocka_unit_test(the_damaged_one_of_several_certificates_is_named),
		cmocka_unit_test(a_key_among_certificates_is_refused),
		cmocka_unit_test(a_key_has_no_password),
		cmocka_unit_test(a_key_belongs_to_its_certificate_only),
		cmocka_unit_test(an_empty_password_is_one_too),
	};
	return cmocka_run_group_tests(tests, make, unmake);
}
