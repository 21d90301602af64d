/* Make keys and certificates.
 *
 * Extensions follow RFC 5280 section 4.2 and what kubeadm's certificates hold: a leaf has digitalSignature and its
 * extended usages, an authority digitalSignature and keyCertSign. keyEncipherment is an RSA usage and left out.
 */
#include "lib/x509.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/x509_error.h"

#define SERIAL_BYTES 16

void x509_key_freep(EVP_PKEY **key)
{
	EVP_PKEY_free(*key);
	*key = NULL;
}

void x509_pair_free(struct x509_pair *pair)
{
	X509_free(pair->certificate);
	EVP_PKEY_free(pair->key);
	pair->certificate = NULL;
	pair->key = NULL;
}

int x509_key_make(EVP_PKEY **key, struct err *err)
{
	*key = EVP_EC_gen("P-256");
	return *key ? 0 : x509_error(err, "make a P-256 key");
}

/* A random serial, positive, of 16 bytes at most (RFC 5280 allows 20). */
static bool set_serial(X509 *certificate)
{
	unsigned char bytes[SERIAL_BYTES];
	BIGNUM *number;
	bool ok;

	if (RAND_bytes(bytes, sizeof bytes) != 1)
		return false;
	bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40);
	number = BN_bin2bn(bytes, sizeof bytes, NULL);
	ok = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
	BN_free(number);
	return ok;
}

/* V_ASN1_UTF8STRING, not MBSTRING_UTF8: the latter holds to RFC 5280's 64 characters (ub-common-name), and refuses the
 * kubelet of a Node whose name has more than 52. Kubernetes and kubeadm do not know this bound. */
static bool add_to_name(X509_NAME *name, int what, const char *text)
{
	return X509_NAME_add_entry_by_NID(name, what, V_ASN1_UTF8STRING, (const unsigned char *)text, -1, -1, 0) == 1;
}

static bool set_name(X509 *certificate, const struct x509_request *request)
{
	X509_NAME *name = X509_get_subject_name(certificate);

	if (request->organization && !add_to_name(name, NID_organizationName, request->organization))
		return false;
	return add_to_name(name, NID_commonName, request->common_name);
}

static bool set_times(X509 *certificate, const struct x509_request *request)
{
	time_t before = (time_t)request->not_before, after = (time_t)request->not_after;

	/* ASN1_TIME_set writes UTCTime until 2049 and GeneralizedTime from 2050, as RFC 5280 asks. */
	return ASN1_TIME_set(X509_getm_notBefore(certificate), before) &&
	       ASN1_TIME_set(X509_getm_notAfter(certificate), after);
}

static bool add_extension(X509 *certificate, X509V3_CTX *context, int nid, const char *value)
{
	X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, context, nid, value);
	bool ok = extension && X509_add_ext(certificate, extension, -1);

	X509_EXTENSION_free(extension);
	return ok;
}

static int add_name(GENERAL_NAMES *names, int type, const char *text)
{
	GENERAL_NAME *name = a2i_GENERAL_NAME(NULL, NULL, NULL, type, text, 0);

	if (!name || !sk_GENERAL_NAME_push(names, name)) {
		GENERAL_NAME_free(name);
		return -1;
	}
	return 0;
}

/* Subject alternative names, each by its type: a DNS name never goes through a parser of configuration text. */
static int add_alternative_names(X509 *certificate, const struct x509_request *request, struct err *err)
{
	GENERAL_NAMES *names;
	int r = 0;

	if ((!request->dns_names || !request->dns_names[0]) && (!request->addresses || !request->addresses[0]))
		return 0;
	names = sk_GENERAL_NAME_new_null();
	if (!names)
		return x509_error(err, "subject alternative names");
	for (const char *const *name = request->dns_names; !r && name && *name; name++)
		if (add_name(names, GEN_DNS, *name) < 0)
			r = err_set(err, EINVAL, "expected a DNS name, found \"%s\"", *name);
	for (const char *const *address = request->addresses; !r && address && *address; address++)
		if (add_name(names, GEN_IPADD, *address) < 0)
			r = err_set(err, EINVAL, "expected an IP address, found \"%s\"", *address);
	if (!r && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, X509V3_ADD_APPEND) != 1)
		r = x509_error(err, "subject alternative names");
	GENERAL_NAMES_free(names);
	return r;
}

static bool add_usages(X509 *certificate, X509V3_CTX *context, const struct x509_request *request)
{
	const char *extended = NULL;

	if (request->authority)
		return add_extension(certificate, context, NID_key_usage, "critical,digitalSignature,keyCertSign") &&
		       add_extension(certificate, context, NID_basic_constraints, "critical,CA:TRUE") &&
		       add_extension(certificate, context, NID_subject_key_identifier, "hash");
	if (request->server && request->client)
		extended = "serverAuth,clientAuth";
	else if (request->server)
		extended = "serverAuth";
	else if (request->client)
		extended = "clientAuth";
	return add_extension(certificate, context, NID_key_usage, "critical,digitalSignature") &&
	       (!extended || add_extension(certificate, context, NID_ext_key_usage, extended)) &&
	       add_extension(certificate, context, NID_basic_constraints, "critical,CA:FALSE") &&
	       add_extension(certificate, context, NID_authority_key_identifier, "keyid");
}

static int fill(X509 *certificate, EVP_PKEY *key, const struct x509_request *request, const struct x509_pair *issuer,
		struct err *err)
{
	X509 *signer = issuer ? issuer->certificate : certificate;
	X509V3_CTX context;
	int r;

	if (!X509_set_version(certificate, X509_VERSION_3) || !set_serial(certificate) ||
	    !set_name(certificate, request) || !set_times(certificate, request) || !X509_set_pubkey(certificate, key) ||
	    !X509_set_issuer_name(certificate, X509_get_subject_name(signer)))
		return x509_error(err, "fill a certificate");
	X509V3_set_ctx(&context, signer, certificate, NULL, NULL, 0);
	if (!add_usages(certificate, &context, request))
		return x509_error(err, "key usages");
	r = add_alternative_names(certificate, request, err);
	if (r < 0)
		return r;
	if (!X509_sign(certificate, issuer ? issuer->key : key, EVP_sha256()))
		return x509_error(err, "sign");
	return 0;
}

int x509_issue(const struct x509_request *request, const struct x509_pair *issuer, struct x509_pair *pair,
	       struct err *err)
{
	_cleanup_(x509_pair_free) struct x509_pair made = {0};
	int r = x509_key_make(&made.key, err);

	if (!r) {
		made.certificate = X509_new();
		r = made.certificate ? fill(made.certificate, made.key, request, issuer, err)
				     : x509_error(err, "make a certificate");
	}
	if (r < 0)
		return err_wrap(err, r, "certificate %s", request->common_name);
	*pair = made;
	made = (struct x509_pair){0};
	return 0;
}
