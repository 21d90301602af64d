/* A set of packages. */
#include "packages/package.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int package_set_add(struct package_set *set, const struct package *package)
{
	struct package *items = reallocarray(set->items, set->count + 1, sizeof *items);
	struct package *new;

	if (!items)
		return -ENOMEM;
	set->items = items;
	new = &items[set->count];
	*new = *package;
	new->name = strdup(package->name);
	new->version = strdup(package->version);
	new->file = package->file ? strdup(package->file) : NULL;
	set->count++; /* package_set_free frees what there is, also after a failure */
	return new->name &&new->version && (new->file || !package->file) ? 0 : -ENOMEM;
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct package *)a)->name, ((const struct package *)b)->name);
}

void package_set_sort(struct package_set *set)
{
	if (set->count)
		qsort(set->items, set->count, sizeof *set->items, compare);
}

const struct package *package_find(const struct package_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->items[i].name, name))
			return &set->items[i];
	return NULL;
}

void package_set_free(struct package_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		free(set->items[i].name);
		free(set->items[i].version);
		free(set->items[i].file);
	}
	free(set->items);
	set->items = NULL;
	set->count = 0;
}
