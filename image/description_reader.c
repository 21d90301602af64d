/* Reading YAML by a table of keys: maps, errors with line and column, the nearest known key. */
#include "description_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/nearest.h"

static const char *kind_of(const yaml_node_t *value)
{
	switch (value->type) {
	case YAML_SEQUENCE_NODE:
		return "a list";
	case YAML_MAPPING_NODE:
		return "a map";
	default:
		return "nothing";
	}
}

const char *reader_text(const yaml_node_t *value)
{
	/* A NUL inside would hide what stands behind it. */
	if (value->type != YAML_SCALAR_NODE ||
	    strlen((const char *)value->data.scalar.value) != value->data.scalar.length)
		return NULL;
	return (const char *)value->data.scalar.value;
}

int reader_expected(struct reader *reader, const yaml_node_t *value, const char *wanted)
{
	const yaml_mark_t *at = &value->start_mark;
	const char *text = reader_text(value), *colon = *reader->path ? ": " : "";

	if (text && *text)
		return err_set(reader->err, EINVAL, "%s:%zu:%zu: %s%sexpected %s, found \"%.60s\"", reader->file,
			       at->line + 1, at->column + 1, reader->path, colon, wanted, text);
	return err_set(reader->err, EINVAL, "%s:%zu:%zu: %s%sexpected %s, found %s", reader->file, at->line + 1,
		       at->column + 1, reader->path, colon, wanted, kind_of(value));
}

static const char *key_name(size_t i, const void *data)
{
	return ((const struct reader_key *)data)[i].name;
}

static int unknown_key(struct reader *reader, const yaml_node_t *name, const struct reader_key *keys, const char *text)
{
	const yaml_mark_t *at = &name->start_mark;
	const char *close = nearest_name(text, key_name, keys);

	return err_set(reader->err, EINVAL, "%s:%zu:%zu: %s%s%.60s: unknown key%s%s%s", reader->file, at->line + 1,
		       at->column + 1, reader->path, *reader->path ? "." : "", text, close ? ", did you mean \"" : "",
		       close ? close : "", close ? "\"?" : "");
}

static const struct reader_key *find_key(const struct reader_key *keys, const char *text)
{
	for (const struct reader_key *k = keys; k->name; k++)
		if (!strcmp(k->name, text))
			return k;
	return NULL;
}

static bool given_before(struct reader *reader, const yaml_node_t *map, const yaml_node_pair_t *pair, const char *text)
{
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < pair; p++) {
		const char *other = reader_text(yaml_document_get_node(reader->document, p->key));

		if (other && !strcmp(other, text))
			return true;
	}
	return false;
}

static int read_pair(struct reader *reader, const yaml_node_t *map, const yaml_node_pair_t *pair,
		     const struct reader_key *keys, void *place)
{
	const yaml_node_t *name = yaml_document_get_node(reader->document, pair->key);
	const yaml_node_t *value = yaml_document_get_node(reader->document, pair->value);
	const char *text = reader_text(name);
	size_t outer = strlen(reader->path);
	const struct reader_key *key;
	int r;

	if (!text)
		return reader_expected(reader, name, "a word as key");
	key = find_key(keys, text);
	if (!key)
		return unknown_key(reader, name, keys, text);
	if (given_before(reader, map, pair, text))
		return err_set(reader->err, EINVAL, "%s:%zu:%zu: %s%s%s: expected once, found a second time",
			       reader->file, name->start_mark.line + 1, name->start_mark.column + 1, reader->path,
			       outer ? "." : "", text);
	if (outer + strlen(text) + 2 > sizeof reader->path)
		return err_set(reader->err, EINVAL, "%s: keys nested too deep", reader->file);
	if (outer)
		strcat(reader->path, ".");
	strcat(reader->path, text);
	r = key->read(reader, key, value, (char *)place + key->offset);
	reader->path[outer] = 0;
	return r;
}

int reader_map(struct reader *reader, const yaml_node_t *map, const struct reader_key *keys, void *place)
{
	int r = 0;

	if (map->type != YAML_MAPPING_NODE)
		return reader_expected(reader, map, "a map of keys");
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top && !r; p++)
		r = read_pair(reader, map, p, keys, place);
	return r;
}

int read_inner_map(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	return reader_map(reader, value, key->inner, place);
}

int read_map_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	struct reader_array *array = place;

	if (value->type != YAML_SEQUENCE_NODE)
		return reader_expected(reader, value, "a list of maps");
	for (yaml_node_item_t *i = value->data.sequence.items.start; i < value->data.sequence.items.top; i++) {
		const yaml_node_t *element = yaml_document_get_node(reader->document, *i);
		char *items = reallocarray(array->items, array->count + 1, key->size);
		char *item;
		int r;

		if (!items)
			return err_set(reader->err, ENOMEM, "%s: no memory", reader->file);
		array->items = items;
		item = items + array->count * key->size;
		memset(item, 0, key->size);
		array->count++;
		r = reader_map(reader, element, key->inner, item);
		if (r < 0)
			return r;
	}
	return 0;
}
