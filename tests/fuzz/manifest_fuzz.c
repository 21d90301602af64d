/* Manifests that a user named by URL: what is read from them becomes part of a path. */
#include "fuzz.h"

#include <ctype.h>

#include "lib/manifest_identity.h"

static void check(const char *part, size_t room)
{
	PROMISE(memchr(part, 0, room) && strcmp(part, ".") && strcmp(part, ".."));
	PROMISE(!strstr(part, "/../") && strncmp(part, "../", 3));
	for (const char *p = part; *p; p++)
		PROMISE(isalnum((unsigned char)*p) || strchr("-._:/", *p));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len);
	const char *document, *rest = text;
	struct manifest_identity identity;
	struct err err = {""};
	size_t size;

	while ((rest = manifest_next(rest, &size, &document))) {
		int r = manifest_identity_read(document, size, &identity, &err);

		PROMISE(size && document + size == rest);
		PROMISE(r >= 0 || err.text[0]);
		if (r != 1)
			continue;
		check(identity.api_version, sizeof identity.api_version);
		check(identity.kind, sizeof identity.kind);
		check(identity.name, sizeof identity.name);
		check(identity.namespace, sizeof identity.namespace);
	}
	free(text);
	return 0;
}
