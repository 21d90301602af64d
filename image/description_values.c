/* Reading the values of an image description: strings, lists, paths, packages, sizes, modes. */
#include "description_reader.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "string_list.h"

typedef bool accept_fn(const char *text);

static bool any_text(const char *text)
{
	return *text != 0;
}

/* Absolute, without "//", "." and "..": what it names does not depend on anything else. */
static bool clean_path(const char *text)
{
	if (text[0] != '/' || !text[1])
		return false;
	for (const char *p = text; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 127)
			return false;
		if (*p != '/')
			continue;
		if (p[1] == 0 || p[1] == '/')
			return false;
		if (p[1] == '.' && (!p[2] || p[2] == '/' || (p[2] == '.' && (!p[3] || p[3] == '/'))))
			return false;
	}
	return true;
}

/* Debian policy 5.6.1. */
static bool package_name(const char *text)
{
	if (!islower((unsigned char)text[0]) && !isdigit((unsigned char)text[0]))
		return false;
	for (const char *p = text; *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && !strchr("+-.", *p))
			return false;
	return strlen(text) >= 2;
}

static int take_string(struct reader *reader, const yaml_node_t *value, accept_fn *accept, const char *wanted,
		       char **place)
{
	const char *text = reader_text(value);
	char *copy;

	if (!text || !accept(text))
		return reader_expected(reader, value, wanted);
	copy = strdup(text);
	if (!copy)
		return err_set(reader->err, ENOMEM, "%s: no memory", reader->file);
	free(*place);
	*place = copy;
	return 0;
}

static int take_list(struct reader *reader, const yaml_node_t *value, accept_fn *accept, const char *wanted,
		     struct strings *list)
{
	if (value->type != YAML_SEQUENCE_NODE)
		return reader_expected(reader, value, "a list");
	for (yaml_node_item_t *i = value->data.sequence.items.start; i < value->data.sequence.items.top; i++) {
		const yaml_node_t *element = yaml_document_get_node(reader->document, *i);
		const char *text = reader_text(element);

		if (!text || !accept(text))
			return reader_expected(reader, element, wanted);
		if (!strings_have(list, text) && strings_add(list, text) < 0)
			return err_set(reader->err, ENOMEM, "%s: no memory", reader->file);
	}
	return 0;
}

#define WANTED_STRING "a word"
#define WANTED_PATH "an absolute path such as /usr/bin/ls"
#define WANTED_PACKAGE "the name of a Debian package"

int read_string(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_string(reader, value, any_text, WANTED_STRING, place);
}

int read_string_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_list(reader, value, any_text, WANTED_STRING, place);
}

int read_path(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_string(reader, value, clean_path, WANTED_PATH, place);
}

int read_path_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_list(reader, value, clean_path, WANTED_PATH, place);
}

int read_package(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_string(reader, value, package_name, WANTED_PACKAGE, place);
}

int read_package_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_list(reader, value, package_name, WANTED_PACKAGE, place);
}

int read_size(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	static const char units[] = "KMGT";
	const char *text = reader_text(value);
	unsigned long long number;
	const char *unit;
	char *end;

	(void)key;
	if (!text || !isdigit((unsigned char)*text))
		return reader_expected(reader, value, "a size such as 64K, 16M or 6G");
	errno = 0;
	number = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (errno || !number || (*end && (!unit || end[1])))
		return reader_expected(reader, value, "a size such as 64K, 16M or 6G");
	if (unit && number > UINT64_MAX >> (10 * (unit - units + 1)))
		return reader_expected(reader, value, "a size below 16 EiB");
	*(uint64_t *)place = unit ? (uint64_t)number << (10 * (unit - units + 1)) : number;
	return 0;
}

static int take_number(struct reader *reader, const yaml_node_t *value, int base, unsigned long most,
		       const char *wanted, uint32_t *place)
{
	const char *text = reader_text(value);
	unsigned long number;
	char *end;

	if (!text || !isdigit((unsigned char)*text))
		return reader_expected(reader, value, wanted);
	errno = 0;
	number = strtoul(text, &end, base);
	if (errno || *end || number > most)
		return reader_expected(reader, value, wanted);
	*place = (uint32_t)number;
	return 0;
}

int read_number(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_number(reader, value, 10, 65535, "a number from 0 to 65535", place);
}

int read_mode(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)key;
	return take_number(reader, value, 8, 01777, "an octal mode such as 0644", place);
}

int read_flag(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	const char *text = reader_text(value);

	(void)key;
	if (!text || (strcmp(text, "true") && strcmp(text, "false")))
		return reader_expected(reader, value, "true or false");
	*(bool *)place = !strcmp(text, "true");
	return 0;
}
