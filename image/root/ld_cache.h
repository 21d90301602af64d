/* The cache of shared libraries that glibc's ld.so reads, and the name a library goes by. Pure. */
#ifndef KEELSON_LD_CACHE_H
#define KEELSON_LD_CACHE_H

#include <stddef.h>

#include "lib/buf.h"

#define SONAME_MAX 256

struct ld_entry {
	char *soname, *path;
};

/* Sorts entries, and appends the cache in glibc's new format. Returns 0 or -ENOMEM. */
int render_ld_cache(struct ld_entry *entries, size_t count, struct buf *cache);

/* glibc's order of library names: runs of digits compare as numbers. */
int compare_sonames(const char *a, const char *b);

/* What the dynamic section of a 64-bit x86 program or library says. Untrusted input. */
struct elf_names {
	char soname[SONAME_MAX]; /* "" when it has none */
	struct buf needed;	 /* names of libraries, each with its NUL behind it */
};

/* Returns 0, -ENOENT (it is something else, or linked statically), -EBADMSG (it contradicts itself), -ENOMEM. */
int elf_read_names(const void *data, size_t len, struct elf_names *names);

/* The SONAME of a 64-bit x86 shared library. Untrusted input. Returns 0, -ENOENT (it is something else, or has none),
 * or -EBADMSG (it contradicts itself). */
int elf_soname(const void *data, size_t len, char soname[SONAME_MAX]);

#endif
