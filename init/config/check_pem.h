/* Certificates and keys as text. */
#ifndef KEELSON_CHECK_PEM_H
#define KEELSON_CHECK_PEM_H

#include <stdbool.h>

#include "lib/err.h"

/* One or more PEM certificates and nothing else but text between them. On false, expected says what would be one. */
bool pem_is_certificates(const char *text, struct err *expected);

/* One PEM private key without a password. */
bool pem_is_private_key(const char *text, struct err *expected);

/* Whether the key belongs to the first certificate. Both were checked before. */
bool pem_key_matches(const char *certificate, const char *key);

#endif
