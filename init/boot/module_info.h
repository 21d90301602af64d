/* What a kernel module says of itself: its .modinfo section. Pure, and bounded by the file's length. */
#ifndef KEELSON_MODULE_INFO_H
#define KEELSON_MODULE_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "key=value" strings, each ended by a NUL, somewhere in the module's file. */
struct module_info {
	const char *text; /* NULL: none */
	size_t len;	  /* its last byte is a NUL */
};

/* Find it in a 64-bit ELF file. Returns 0, or -EBADMSG. */
int module_info_find(const uint8_t *file, size_t len, struct module_info *info);

/* The next value of KEY, which ends with '='; at: NULL at first, then the last answer. NULL: no more. */
const char *module_info_next(const struct module_info *info, const char *key, const char *at);

/* Whether a module with this name is in its depends=. '-' and '_' are the same. */
bool module_info_depends(const struct module_info *info, const char *name);

bool module_names_equal(const char *a, const char *b, size_t len);

#endif
