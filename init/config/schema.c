/* Looking things up in the table of keys. */
#include "config/schema.h"

#include <stddef.h>
#include <string.h>

#include "lib/nearest.h"

const struct key *schema_find(const char *path)
{
	for (const struct key *key = schema_keys; key->path; key++)
		if (!strcmp(key->path, path))
			return key;
	return NULL;
}

const char *schema_default(const char *path)
{
	const struct key *key = schema_find(path);

	return key ? key->standard : NULL;
}

const char *key_name(const struct key *key)
{
	const char *dot = strrchr(key->path, '.');

	return dot ? dot + 1 : key->path;
}

bool key_is_child(const struct key *key, const char *path)
{
	size_t len = strlen(path);
	const char *rest = key->path;

	if (len) {
		if (strncmp(key->path, path, len) || key->path[len] != '.')
			return false;
		rest += len + 1;
	}
	return !strchr(rest, '.') && !strchr(rest, '[');
}

const struct key *schema_child(const char *path, const char *name)
{
	const struct key *any = NULL;

	for (const struct key *key = schema_keys; key->path; key++) {
		if (!key_is_child(key, path))
			continue;
		if (!strcmp(key_name(key), "*"))
			any = key;
		else if (!strcmp(key_name(key), name))
			return key;
	}
	return any;
}

/* The i-th name that may stand at the path and means something here. */
static const char *usable_name(size_t i, const void *path)
{
	for (const struct key *key = schema_keys; key->path; key++)
		if (key_is_child(key, path) && !(key->flags & (KEY_IGNORED | KEY_REFUSED)) && i-- == 0)
			return key_name(key);
	return NULL;
}

const char *schema_nearest(const char *path, const char *name)
{
	return nearest_name(name, usable_name, path);
}

const struct key *schema_elsewhere(const char *path, const char *name)
{
	size_t top = strcspn(path, ".[");
	const struct key *found = NULL;

	for (const struct key *key = schema_keys; key->path; key++) {
		if ((key->flags & (KEY_IGNORED | KEY_REFUSED)) || strchr(key->path, '[') || strcmp(key_name(key), name))
			continue;
		if (!found || (top && !strncmp(key->path, path, top)))
			found = key;
	}
	return found;
}
