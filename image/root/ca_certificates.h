/* Names of CA certificates in /etc/ssl/certs. Pure. */
#ifndef KEELSON_CA_CERTIFICATES_H
#define KEELSON_CA_CERTIFICATES_H

#include <stddef.h>

#include "lib/err.h"

#define CA_HASH_TEXT 9

/* The hash of the certificate's subject that OpenSSL looks certificates up by: "b1159c4c". pem: a text with one
 * certificate. Returns 0 or -EBADMSG. */
int ca_hash(const char *pem, size_t len, char hash[CA_HASH_TEXT], struct err *err);

/* The file name of a certificate: "mozilla/GlobalSign Root (R3).crt" -> "GlobalSign_Root_=R3=.pem", as
 * update-ca-certificates names it. Returns 0 or -ENAMETOOLONG. */
int ca_file_name(const char *path, char *name, size_t size);

#endif
