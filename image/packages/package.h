/* Debian packages as apt resolved them, sorted by name. */
#ifndef KEELSON_PACKAGE_H
#define KEELSON_PACKAGE_H

#include <stddef.h>
#include <stdint.h>

#include "digest.h"

struct package {
	char *name, *version;
	char *file; /* as apt names it in its archives: "libattr1_1%3a2.5.1-4_amd64.deb" */
	uint64_t bytes;
	char sha256[DIGEST_TEXT];
};

struct package_set {
	struct package *items;
	size_t count;
};

/* Add a copy, without file when file is NULL. Returns 0 or -ENOMEM. */
int package_set_add(struct package_set *set, const struct package *package);

void package_set_sort(struct package_set *set);

const struct package *package_find(const struct package_set *set, const char *name);

void package_set_free(struct package_set *set);

#endif
