/* Certificates and keys as text. */
#include "config/check_pem.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

#define CERTIFICATES_MAX 100

/* A key with a password is not asked for one: there is nobody to answer. */
static int no_password(char *buf, int size, int writing, void *arg)
{
	(void)buf;
	(void)size;
	(void)writing;
	(void)arg;
	return -1;
}

static X509 *first_certificate(const char *text)
{
	BIO *bio = BIO_new_mem_buf(text, -1);
	X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, no_password, NULL) : NULL;

	BIO_free(bio);
	return certificate;
}

static EVP_PKEY *private_key(const char *text)
{
	BIO *bio = BIO_new_mem_buf(text, -1);
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;

	BIO_free(bio);
	return key;
}

bool pem_is_certificates(const char *text, struct err *expected)
{
	BIO *bio = BIO_new_mem_buf(text, -1);
	int count = 0;
	bool all;

	if (!bio)
		return false;
	for (;;) {
		X509 *certificate = PEM_read_bio_X509(bio, NULL, no_password, NULL);

		if (!certificate)
			break;
		X509_free(certificate);
		if (++count > CERTIFICATES_MAX)
			break;
	}
	/* the end of the text is the only reason to stop */
	all = count && count <= CERTIFICATES_MAX && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
	if (strstr(text, "PRIVATE KEY-----"))
		all = false;
	ERR_clear_error();
	BIO_free(bio);
	if (!all && strstr(text, "-----BEGIN CERTIFICATE-----"))
		err_set(expected, EINVAL,
			"whole PEM certificates (\"-----BEGIN CERTIFICATE-----\" …), certificate %d is damaged",
			count + 1);
	return all;
}

bool pem_is_private_key(const char *text, struct err *expected)
{
	EVP_PKEY *key = private_key(text);
	bool found = key != NULL;

	EVP_PKEY_free(key);
	ERR_clear_error();
	if (!found && strstr(text, "ENCRYPTED"))
		err_set(expected, EINVAL, "a PEM private key without a password");
	return found;
}

bool pem_key_matches(const char *certificate, const char *key)
{
	X509 *cert = first_certificate(certificate);
	EVP_PKEY *pkey = private_key(key);
	bool matches = cert && pkey && X509_check_private_key(cert, pkey) == 1;

	EVP_PKEY_free(pkey);
	X509_free(cert);
	ERR_clear_error();
	return matches;
}
