/* What a manifest is.
 *
 * The document itself goes to the API server as it is (server-side apply takes YAML): only four scalars are read here,
 * by libyaml's events, so that no alias is expanded and no value is given a type by us.
 */
#include "lib/manifest_identity.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* Far more than an API object has; libyaml's time grows with the square of it. */
#define DEPTH_MAX 500

struct identity_reader {
	struct manifest_identity *identity;
	int depth;	  /* of open maps and lists */
	bool is_key;	  /* the next scalar at this depth is a key, when in a map of interest */
	bool in_metadata; /* inside the top level's metadata */
	bool top_is_map;
	bool has_items; /* a key of the top level */
	char key[32];
	bool anything;
};

/* "." or "..", or a part of a path that is. */
static bool leads_elsewhere(const char *value)
{
	for (;; value++) {
		size_t len = strcspn(value, "/");

		if ((len == 1 || len == 2) && !strncmp(value, "..", len))
			return true;
		value += len;
		if (!*value)
			return false;
	}
}

/* what it is, and which characters beside letters and digits it may have: the text becomes part of a path */
static int copy_scalar(char *to, size_t size, const yaml_event_t *event, const char *what, const char *allowed,
		       struct err *err)
{
	const char *value = (const char *)event->data.scalar.value;
	bool good = !leads_elsewhere(value);

	for (const char *p = value; *p; p++)
		good = good && (isalnum((unsigned char)*p) || strchr(allowed, *p));
	if (!good)
		return err_set(err, EINVAL, "%zu:%zu: %s: found \"%.80s\"", event->start_mark.line + 1,
			       event->start_mark.column + 1, what, value);
	if ((size_t)snprintf(to, size, "%s", value) >= size)
		return err_set(err, EINVAL, "%zu:%zu: %s: too long", event->start_mark.line + 1,
			       event->start_mark.column + 1, what);
	return 0;
}

static int take_value(struct identity_reader *reader, const yaml_event_t *event, struct err *err)
{
	struct manifest_identity *i = reader->identity;

	if (reader->depth == 1 && !strcmp(reader->key, "apiVersion"))
		return copy_scalar(i->api_version, sizeof i->api_version, event, "apiVersion", "-./", err);
	if (reader->depth == 1 && !strcmp(reader->key, "kind"))
		return copy_scalar(i->kind, sizeof i->kind, event, "kind", "", err);
	if (reader->in_metadata && !strcmp(reader->key, "name"))
		return copy_scalar(i->name, sizeof i->name, event, "metadata.name", "-._:@+=~", err);
	if (reader->in_metadata && !strcmp(reader->key, "namespace"))
		return copy_scalar(i->namespace, sizeof i->namespace, event, "metadata.namespace", "-", err);
	return 0;
}

static bool of_interest(const struct identity_reader *reader)
{
	return (reader->depth == 1 && reader->top_is_map) || (reader->depth == 2 && reader->in_metadata);
}

static void take_key(struct identity_reader *reader, const char *key)
{
	snprintf(reader->key, sizeof reader->key, "%s", key);
	reader->has_items |= reader->depth == 1 && !strcmp(key, "items");
}

static int take_event(struct identity_reader *reader, const yaml_event_t *event, struct err *err)
{
	bool value = of_interest(reader) && !reader->is_key;
	int r = 0;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		reader->anything |= event->data.scalar.length > 0;
		if (!of_interest(reader))
			return 0;
		if (value)
			r = take_value(reader, event, err);
		else
			take_key(reader, (const char *)event->data.scalar.value);
		reader->is_key = value;
		return r;
	case YAML_ALIAS_EVENT:
		if (of_interest(reader))
			reader->is_key = value;
		return 0;
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		reader->anything = true;
		if (reader->depth == DEPTH_MAX)
			return err_set(err, EINVAL, "%zu:%zu: expected at most %d levels", event->start_mark.line + 1,
				       event->start_mark.column + 1, DEPTH_MAX);
		if (reader->depth == 0)
			reader->top_is_map = event->type == YAML_MAPPING_START_EVENT;
		if (reader->depth == 1 && value && event->type == YAML_MAPPING_START_EVENT &&
		    !strcmp(reader->key, "metadata"))
			reader->in_metadata = true;
		reader->depth++;
		reader->is_key = of_interest(reader);
		return 0;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		reader->depth--;
		if (reader->depth <= 1)
			reader->in_metadata = false;
		/* What ended was a value: a key comes next. */
		reader->is_key = of_interest(reader);
		return 0;
	default:
		return 0;
	}
}

/* A kind of somebody's own may be called AllowList and be one object. */
static bool is_list(const struct identity_reader *reader)
{
	const char *kind = reader->identity->kind;
	size_t len = strlen(kind);

	return !strcmp(kind, "List") || (reader->has_items && len > 4 && !strcmp(kind + len - 4, "List"));
}

static int judge(const struct identity_reader *reader, struct err *err)
{
	const struct manifest_identity *i = reader->identity;

	if (!reader->anything)
		return 0;
	if (!i->api_version[0] || !i->kind[0])
		return err_set(err, EINVAL, "expected apiVersion and kind, found %s",
			       i->kind[0] ? "no apiVersion" : (i->api_version[0] ? "no kind" : "neither"));
	if (is_list(reader))
		return err_set(err, EINVAL, "kind %s: expected its items as documents of their own", i->kind);
	if (!i->name[0])
		return err_set(err, EINVAL, "%s: expected metadata.name, found none", i->kind);
	return 1;
}

int manifest_identity_read(const char *document, size_t len, struct manifest_identity *identity, struct err *err)
{
	struct identity_reader reader = {.identity = identity};
	yaml_parser_t parser;
	yaml_event_t event;
	bool end = false;
	int r = 0;

	memset(identity, 0, sizeof *identity);
	if (!yaml_parser_initialize(&parser))
		return err_set(err, ENOMEM, "YAML: out of memory");
	yaml_parser_set_input_string(&parser, (const unsigned char *)document, len);
	while (!r && !end) {
		if (!yaml_parser_parse(&parser, &event)) {
			r = err_set(err, EINVAL, "%zu:%zu: %s", parser.problem_mark.line + 1,
				    parser.problem_mark.column + 1, parser.problem ? parser.problem : "no YAML");
			break;
		}
		end = event.type == YAML_STREAM_END_EVENT || event.type == YAML_DOCUMENT_END_EVENT;
		r = take_event(&reader, &event, err);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return r ? r : judge(&reader, err);
}

static bool is_separator(const char *line)
{
	return !strncmp(line, "---", 3) && (line[3] == 0 || strchr(" \t\r\n", line[3]));
}

const char *manifest_next(const char *text, size_t *len, const char **document)
{
	const char *line = text;

	if (!text || !*text)
		return NULL;
	/* The separator that begins this document belongs to it. */
	do {
		line = strchr(line, '\n');
		line = line ? line + 1 : text + strlen(text);
	} while (*line && !is_separator(line));
	*document = text;
	*len = (size_t)(line - text);
	return line;
}
