/* What OpenSSL has to say about a failure, as our one line. */
#ifndef KEELSON_X509_ERROR_H
#define KEELSON_X509_ERROR_H

#include <errno.h>
#include <openssl/err.h>

#include "lib/err.h"

static inline int x509_error(struct err *err, const char *what)
{
	unsigned long code = ERR_peek_error();
	const char *reason = code ? ERR_reason_error_string(code) : NULL;

	ERR_clear_error();
	return err_set(err, EINVAL, "%s: %s", what, reason ? reason : "refused by OpenSSL");
}

#endif
