/* A .deb unpacked once into the cache, and put into the tree from there. */
#ifndef KEELSON_UNPACK_H
#define KEELSON_UNPACK_H

#include <limits.h>
#include <stdint.h>

#include "lib/err.h"
#include "packages/package.h"
#include "root/tree.h"

/* Unpack DEB below CACHE unless it is there. DIRECTORY is given the folder: `index`, and a file a number for each
 * content. No maintainer script is looked at. */
int package_unpack(const char *deb, const char *sha256, const char *cache, char directory[PATH_MAX], struct err *err);

/* Put what package_unpack left in DIRECTORY into the tree. */
int package_merge(const char *directory, const struct package *package, struct tree *tree, struct err *err);

/* The file of the cache that holds the content of PATH (as the package names it) in an unpacked package. Returns 0, or
 * -ENOENT. For files that the builder needs and the root does not: kernel, EFI stub. */
int package_file(const char *directory, const char *path, char found[PATH_MAX], struct err *err);

/* One line of an index. */
struct index_entry {
	char type; /* d, f or l */
	uint32_t mode, uid, gid;
	uint64_t size;
	unsigned number; /* of the content */
	char path[PATH_MAX], target[PATH_MAX];
};

/* Pure. LINE without its newline. Returns 0 or -EBADMSG. */
int index_parse_line(const char *line, struct index_entry *entry, struct err *err);

#endif
