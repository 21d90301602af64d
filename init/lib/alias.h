/* Aliases of kernel modules. Pure. */
#ifndef KEELSON_ALIAS_H
#define KEELSON_ALIAS_H

#include <stdbool.h>

/* A pattern of a module against the MODALIAS of a device: '*' is any text, '?' any character, [0-9A] one of a set. */
bool alias_matches(const char *pattern, const char *alias);

#endif
