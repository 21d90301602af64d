/* A set of short strings. A few hundred at most: a walk is as fast as anything cleverer. */
#include "storage/alias_set.h"

#include <string.h>

#define ALIAS_MAX 4000

bool has_alias(const struct alias_set *set, const char *alias)
{
	for (const char *at = set->text.data; at && at < set->text.data + set->text.len; at += strlen(at) + 1)
		if (!strcmp(at, alias))
			return true;
	return false;
}

bool add_alias(struct alias_set *set, const char *alias)
{
	size_t len = strlen(alias);

	if (!len || len > ALIAS_MAX || alias[0] == '-' || strchr(alias, '/') || strchr(alias, '\n') ||
	    has_alias(set, alias))
		return false;
	return !buf_add(&set->text, alias, len + 1);
}

const char *next_alias(struct alias_set *set)
{
	const char *alias = set->text.data + set->asked;

	if (set->asked >= set->text.len)
		return NULL;
	set->asked += strlen(alias) + 1;
	return alias;
}
