/* An image description: its keys, what it extends, and what must hold in the end. */
#include "description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "description_reader.h"
#include "lib/cleanup.h"
#include "lib/file.h"

static int read_format(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	const char *text = reader_text(value);

	(void)key;
	if (!text || (strcmp(text, "erofs") && strcmp(text, "squashfs")))
		return reader_expected(reader, value, "erofs or squashfs");
	*(enum root_format *)place = strcmp(text, "erofs") ? ROOT_SQUASHFS : ROOT_EROFS;
	return 0;
}

static int read_kind(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	const char *text = reader_text(value);

	if (!text || (strcmp(text, "base") && strcmp(text, "busybox")))
		return reader_expected(reader, value, "base or busybox");
	return read_string(reader, key, value, place);
}

/* The text of a file may be empty. */
static int read_content(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	const char *text = reader_text(value);

	(void)key;
	if (!text)
		return reader_expected(reader, value, "text");
	free(*(char **)place);
	*(char **)place = strdup(text);
	return *(char **)place ? 0 : err_set(reader->err, ENOMEM, "%s: no memory", reader->file);
}

static int ignore(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place)
{
	(void)reader, (void)key, (void)value, (void)place;
	return 0;
}

#define AT(type, member) offsetof(struct type, member)

static const struct reader_key file_keys[] = {
	{"path", read_path, AT(image_file, path), NULL, 0},
	{"content", read_content, AT(image_file, content), NULL, 0},
	{"source", read_string, AT(image_file, source), NULL, 0},
	{"link", read_string, AT(image_file, link), NULL, 0},
	{"directory", read_flag, AT(image_file, directory), NULL, 0},
	{"mode", read_mode, AT(image_file, mode), NULL, 0},
	{"uid", read_number, AT(image_file, uid), NULL, 0},
	{"gid", read_number, AT(image_file, gid), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key user_keys[] = {
	{"name", read_string, AT(image_user, name), NULL, 0},
	{"id", read_number, AT(image_user, id), NULL, 0},
	{"home", read_path, AT(image_user, home), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key preload_keys[] = {
	{"name", read_string, AT(image_preload, name), NULL, 0},
	{"kind", read_kind, AT(image_preload, kind), NULL, 0},
	{"tags", read_string_list, AT(image_preload, tags), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key modules_keys[] = {
	{"exclude", read_string_list, AT(description, modules_exclude), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key busybox_keys[] = {
	{"links", read_path_list, AT(description, busybox_links), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key root_keys[] = {
	{"format", read_format, AT(description, root_format), NULL, 0},
	{"compression", read_string, AT(description, root_compression), NULL, 0},
	{"level", read_number, AT(description, root_level), NULL, 0},
	{"cluster", read_size, AT(description, root_cluster), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key sizes_keys[] = {
	{"disk", read_size, AT(description, disk_bytes), NULL, 0},
	{"esp", read_size, AT(description, esp_bytes), NULL, 0},
	{"root", read_size, AT(description, slot_bytes), NULL, 0},
	{"verity", read_size, AT(description, verity_bytes), NULL, 0},
	{NULL, NULL, 0, NULL, 0},
};

static const struct reader_key top_keys[] = {
	{"extends", ignore, 0, NULL, 0},
	{"suite", read_string, AT(description, suite), NULL, 0},
	{"kernel", read_package, AT(description, kernel), NULL, 0},
	{"packages", read_package_list, AT(description, packages), NULL, 0},
	{"tools", read_package_list, AT(description, tools), NULL, 0},
	{"provided", read_package_list, AT(description, provided), NULL, 0},
	{"drop", read_path_list, AT(description, drop), NULL, 0},
	{"replace", read_path_list, AT(description, replace), NULL, 0},
	{"modules", read_inner_map, 0, modules_keys, 0},
	{"busybox", read_inner_map, 0, busybox_keys, 0},
	{"services", read_string_list, AT(description, services), NULL, 0},
	{"cmdline", read_string_list, AT(description, cmdline), NULL, 0},
	{"files", read_map_list, AT(description, files), file_keys, sizeof(struct image_file)},
	{"users", read_map_list, AT(description, users), user_keys, sizeof(struct image_user)},
	{"preload", read_map_list, AT(description, preloads), preload_keys, sizeof(struct image_preload)},
	{"root", read_inner_map, 0, root_keys, 0},
	{"sizes", read_inner_map, 0, sizes_keys, 0},
	{NULL, NULL, 0, NULL, 0},
};

/* read_map_list takes a pointer followed by a count. */
#define IS_ARRAY(items, number)                                                                                        \
	_Static_assert(offsetof(struct description, number) - offsetof(struct description, items) ==                   \
			       offsetof(struct reader_array, count),                                                   \
		       "an array of a description is laid out as a reader_array")
IS_ARRAY(files, file_count);
IS_ARRAY(users, user_count);
IS_ARRAY(preloads, preload_count);

static int not_yaml(const char *file, const yaml_parser_t *parser, struct err *err)
{
	return err_set(err, EINVAL, "%s:%zu:%zu: expected YAML, found: %s", file, parser->problem_mark.line + 1,
		       parser->problem_mark.column + 1, parser->problem ? parser->problem : "something else");
}

/* What stands behind the document would be read by nobody. */
static int expect_end(const char *file, yaml_parser_t *parser, struct err *err)
{
	yaml_document_t second;
	const yaml_node_t *top;
	int r = 0;

	if (!yaml_parser_load(parser, &second))
		return not_yaml(file, parser, err);
	top = yaml_document_get_root_node(&second);
	if (top)
		r = err_set(err, EINVAL, "%s:%zu:1: expected one document, found a second one", file,
			    top->start_mark.line + 1);
	yaml_document_delete(&second);
	return r;
}

/* Load the text's document and call `use` with its top map. */
static int with_document(const char *file, const char *text, size_t len,
			 int (*use)(struct reader *reader, const yaml_node_t *top, void *into), void *into,
			 struct err *err)
{
	struct reader reader = {.file = file, .path = "", .err = err};
	yaml_document_t document;
	yaml_parser_t parser;
	yaml_node_t *top;
	int r;

	if (!yaml_parser_initialize(&parser))
		return err_set(err, ENOMEM, "%s: no memory", file);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
	if (!yaml_parser_load(&parser, &document)) {
		r = not_yaml(file, &parser, err);
		yaml_parser_delete(&parser);
		return r;
	}
	reader.document = &document;
	top = yaml_document_get_root_node(&document);
	if (!top)
		r = err_set(err, EINVAL, "%s:1:1: expected a map of keys, found nothing", file);
	else if (top->type != YAML_MAPPING_NODE)
		r = reader_expected(&reader, top, "a map of keys");
	else
		r = expect_end(file, &parser, err);
	if (!r)
		r = use(&reader, top, into);
	yaml_document_delete(&document);
	yaml_parser_delete(&parser);
	return r;
}

static int use_all(struct reader *reader, const yaml_node_t *top, void *into)
{
	return reader_map(reader, top, top_keys, into);
}

int description_parse(const char *file, const char *text, size_t len, struct description *description, struct err *err)
{
	return with_document(file, text, len, use_all, description, err);
}

static int use_extends(struct reader *reader, const yaml_node_t *top, void *into)
{
	for (yaml_node_pair_t *p = top->data.mapping.pairs.start; p < top->data.mapping.pairs.top; p++) {
		const char *name = reader_text(yaml_document_get_node(reader->document, p->key));
		const yaml_node_t *value = yaml_document_get_node(reader->document, p->value);
		const char *text = reader_text(value);

		if (!name || strcmp(name, "extends"))
			continue;
		strcpy(reader->path, "extends");
		if (!text || !*text || strpbrk(text, "/."))
			return reader_expected(reader, value, "the name of a description beside this one");
		return read_string(reader, NULL, value, into);
	}
	return 0;
}

int description_extends(const char *file, const char *text, size_t len, char **extends, struct err *err)
{
	*extends = NULL;
	return with_document(file, text, len, use_extends, extends, err);
}

static int load(const char *folder, const char *name, int depth, struct description *description, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	_cleanup_free_ char *extends = NULL;
	char path[512];
	int r;

	if (depth == DESCRIPTION_DEPTH)
		return err_set(err, EINVAL, "%s: expected at most %d descriptions that extend each other", name,
			       DESCRIPTION_DEPTH);
	snprintf(path, sizeof path, "%s/%s.yaml", folder, name);
	r = file_read(path, DESCRIPTION_MAX, &text, err);
	if (r < 0)
		return r;
	r = description_extends(path, buf_string(&text), text.len, &extends, err);
	if (!r && extends)
		r = load(folder, extends, depth + 1, description, err);
	if (!r)
		r = description_parse(path, buf_string(&text), text.len, description, err);
	if (!r && depth == 0)
		r = description_check(path, description, err);
	return r;
}

int description_load(const char *folder, const char *name, struct description *description, struct err *err)
{
	return load(folder, name, 0, description, err);
}
