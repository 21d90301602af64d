/* A growing list of strings. */
#ifndef KEELSON_STRING_LIST_H
#define KEELSON_STRING_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct strings {
	char **items;
	size_t count;
};

/* Append a copy. Returns 0 or -ENOMEM. */
int strings_add(struct strings *list, const char *string);

/* Append a copy of what printf would print. Returns 0 or -ENOMEM. */
int strings_addf(struct strings *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool strings_have(const struct strings *list, const char *string);

/* By byte value. */
void strings_sort(struct strings *list);

/* Usable as _cleanup_(strings_free); leaves an empty list. */
void strings_free(struct strings *list);

#endif
