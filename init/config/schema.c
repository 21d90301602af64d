/* Looking things up in the table of keys. */
#include "config/schema.h"

#include <stddef.h>
#include <string.h>

#define NAME_MAX_BYTES 64u

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

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* How many letters must be put in, taken out or changed (Levenshtein). */
static size_t distance(const char *a, const char *b)
{
	size_t row[NAME_MAX_BYTES + 1];
	size_t width = strlen(b);

	if (width > NAME_MAX_BYTES || strlen(a) > NAME_MAX_BYTES)
		return NAME_MAX_BYTES;
	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 1; *a; a++, i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t j = 1; j <= width; j++) {
			size_t above = row[j];

			row[j] = least(above + 1, row[j - 1] + 1, corner + (*a != b[j - 1]));
			corner = above;
		}
	}
	return row[width];
}

const struct key *schema_nearest(const char *path, const char *name)
{
	const struct key *nearest = NULL;
	size_t best = strlen(name) < 5 ? 2 : strlen(name) / 3 + 1; /* the first that is too far */

	for (const struct key *key = schema_keys; key->path; key++) {
		size_t far;

		if (!key_is_child(key, path) || (key->flags & (KEY_IGNORED | KEY_REFUSED)))
			continue;
		far = distance(name, key_name(key));
		if (far < best) {
			best = far;
			nearest = key;
		}
	}
	return nearest;
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
