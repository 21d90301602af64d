/* The tables that depmod makes for fast look-up: modules.alias.bin, modules.dep.bin. Pure, over bytes in memory. */
#ifndef KEELSON_MODULE_INDEX_H
#define KEELSON_MODULE_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct module_index {
	const uint8_t *data;
	size_t len;
};

typedef void index_found(void *context, const char *value);

/* Whether the bytes are such a table. Returns 0 or -EBADMSG. */
int index_check(const struct module_index *index);

/* Call found for every value whose key is KEY. */
void index_find(const struct module_index *index, const char *key, index_found *found, void *context);

/* The same where the keys are patterns and KEY is what they match: the alias of a device. */
void index_match(const struct module_index *index, const char *key, index_found *found, void *context);

#endif
