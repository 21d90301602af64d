/* A set of packages. */
#include "packages/package.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int copy(const char *from, char **to)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

int package_set_add(struct package_set *set, const struct package *package)
{
	struct package *items = reallocarray(set->items, set->count + 1, sizeof *items);
	struct package *new;
	int r;

	if (!items)
		return -ENOMEM;
	set->items = items;
	new = &items[set->count];
	*new = *package;
	new->name = new->version = new->file = NULL;
	set->count++; /* package_set_free frees what there is, also after a failure */
	r = copy(package->name, &new->name);
	if (!r)
		r = copy(package->version, &new->version);
	return r ? r : copy(package->file, &new->file);
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
