/* A growing list of strings. */
#include "string_list.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the string over, also when it fails. */
static int add_owned(struct strings *list, char *string)
{
	char **items;

	if (!string)
		return -ENOMEM;
	items = reallocarray(list->items, list->count + 1, sizeof *items);
	if (!items) {
		free(string);
		return -ENOMEM;
	}
	list->items = items;
	list->items[list->count++] = string;
	return 0;
}

int strings_add(struct strings *list, const char *string)
{
	return add_owned(list, strdup(string));
}

int strings_addf(struct strings *list, const char *format, ...)
{
	char *string = NULL;
	va_list args;
	int len;

	va_start(args, format);
	len = vasprintf(&string, format, args);
	va_end(args);
	return add_owned(list, len < 0 ? NULL : string);
}

bool strings_have(const struct strings *list, const char *string)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->items[i], string))
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void strings_sort(struct strings *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof *list->items, compare);
}

void strings_free(struct strings *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	list->items = NULL;
	list->count = 0;
}
