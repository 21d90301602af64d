/* What a manifest is: apiVersion, kind, name, namespace, read without understanding the rest. Pure. */
#ifndef KEELSON_MANIFEST_IDENTITY_H
#define KEELSON_MANIFEST_IDENTITY_H

#include <stddef.h>

#include "lib/err.h"

struct manifest_identity {
	char api_version[128], kind[128], name[254], namespace[64]; /* "" where not given */
};

/* Read one YAML (or JSON) document. Returns 1; 0 when there is nothing but comments; -EINVAL with line and column, or
 * with what is missing. Characters that do not belong into a path are refused. */
int manifest_identity_read(const char *document, size_t len, struct manifest_identity *identity, struct err *err);

/* The next document of a text whose documents are separated by lines "---". Returns NULL behind the last. */
const char *manifest_next(const char *text, size_t *len, const char **document);

#endif
