/* Keys and certificates as PEM text. */
#include <openssl/asn1.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/x509.h"
#include "lib/x509_error.h"

static void bio_freep(BIO **bio)
{
	BIO_free(*bio);
}

/* A key with a passphrase is refused instead of asking on the console. */
static int no_passphrase(char *buffer, int size, int writing, void *data)
{
	(void)buffer, (void)size, (void)writing, (void)data;
	return -1;
}

int x509_read_key(const char *pem, EVP_PKEY **key, struct err *err)
{
	_cleanup_(bio_freep) BIO *bio = BIO_new_mem_buf(pem, -1);

	*key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
	return *key ? 0 : x509_error(err, "expected a private key in PEM");
}

int x509_read(const char *certificate, const char *key, struct x509_pair *pair, struct err *err)
{
	_cleanup_(bio_freep) BIO *bio = BIO_new_mem_buf(certificate, -1);
	_cleanup_(x509_pair_free) struct x509_pair read = {0};
	int r;

	read.certificate = bio ? PEM_read_bio_X509(bio, NULL, no_passphrase, NULL) : NULL;
	if (!read.certificate)
		return x509_error(err, "expected a certificate in PEM");
	if (key) {
		r = x509_read_key(key, &read.key, err);
		if (r < 0)
			return r;
		if (X509_check_private_key(read.certificate, read.key) != 1) {
			ERR_clear_error();
			return err_set(err, EINVAL, "the private key is not the certificate's");
		}
	}
	*pair = read;
	read = (struct x509_pair){0};
	return 0;
}

static int take_text(BIO *bio, int written, struct buf *pem, struct err *err)
{
	char *text;
	long len;
	int r;

	if (!written)
		return x509_error(err, "write PEM");
	len = BIO_get_mem_data(bio, &text);
	r = buf_add(pem, text, (size_t)len);
	return r < 0 ? err_set(err, -r, "write PEM: %s", strerror(-r)) : 0;
}

int x509_write_certificate(X509 *certificate, struct buf *pem, struct err *err)
{
	_cleanup_(bio_freep) BIO *bio = BIO_new(BIO_s_mem());

	return take_text(bio, bio && PEM_write_bio_X509(bio, certificate), pem, err);
}

int x509_write_key(EVP_PKEY *key, struct buf *pem, struct err *err)
{
	_cleanup_(bio_freep) BIO *bio = BIO_new(BIO_s_mem());

	return take_text(bio, bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL), pem, err);
}

int x509_write_public_key(EVP_PKEY *key, struct buf *pem, struct err *err)
{
	_cleanup_(bio_freep) BIO *bio = BIO_new(BIO_s_mem());

	return take_text(bio, bio && PEM_write_bio_PUBKEY(bio, key), pem, err);
}

int x509_not_after(X509 *certificate, int64_t *when, struct err *err)
{
	struct tm tm;

	if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &tm) != 1)
		return x509_error(err, "end of a certificate");
	*when = timegm(&tm);
	return 0;
}

bool x509_is_authority(X509 *certificate)
{
	return X509_check_ca(certificate) == 1;
}
