/* Keys and certificates: ECDSA P-256 (RSA is too slow in an emulated guest), PEM, signed with SHA-256. */
#ifndef KEELSON_X509_H
#define KEELSON_X509_H

#include <openssl/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"

struct x509_pair {
	X509 *certificate;
	EVP_PKEY *key; /* NULL where only the certificate is known */
};

struct x509_request {
	const char *common_name;
	const char *organization;      /* NULL: none */
	const char *const *dns_names;  /* end with NULL; NULL: none */
	const char *const *addresses;  /* textual IP addresses, as above */
	bool authority;		       /* a CA: may sign, may not serve */
	bool server, client;	       /* extended key usages of a leaf */
	int64_t not_before, not_after; /* seconds since 1970 */
};

/* Make a key. The caller frees with x509_key_freep or as part of a pair. */
int x509_key_make(EVP_PKEY **key, struct err *err);

/* Make a key and a certificate for it. issuer NULL: signed by its own key. */
int x509_issue(const struct x509_request *request, const struct x509_pair *issuer, struct x509_pair *pair,
	       struct err *err);

/* Read PEM. key NULL: the certificate alone. The two must belong together. Only the first certificate is taken. */
int x509_read(const char *certificate, const char *key, struct x509_pair *pair, struct err *err);
int x509_read_key(const char *pem, EVP_PKEY **key, struct err *err);

/* Write PEM (appended): certificate, private key (PKCS #8), public key. */
int x509_write_certificate(X509 *certificate, struct buf *pem, struct err *err);
int x509_write_key(EVP_PKEY *key, struct buf *pem, struct err *err);
int x509_write_public_key(EVP_PKEY *key, struct buf *pem, struct err *err);

/* When a certificate ends, in seconds since 1970. */
int x509_not_after(X509 *certificate, int64_t *when, struct err *err);

bool x509_is_authority(X509 *certificate);

void x509_pair_free(struct x509_pair *pair);
void x509_key_freep(EVP_PKEY **key);

#endif
