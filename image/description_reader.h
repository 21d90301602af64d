/* Reading YAML by a table of keys: each key says how its value is read and where it goes. */
#ifndef KEELSON_DESCRIPTION_READER_H
#define KEELSON_DESCRIPTION_READER_H

#include <stddef.h>
#include <yaml.h>

#include "lib/err.h"

#define READER_PATH_MAX 160

struct reader {
	const char *file;
	yaml_document_t *document;
	char path[READER_PATH_MAX]; /* of the key being read: "sizes.disk" */
	struct err *err;
};

struct reader_key {
	const char *name;
	/* Reads VALUE into the place that lies OFFSET bytes behind the start of what the table describes. */
	int (*read)(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
	size_t offset;
	const struct reader_key *inner; /* keys of a map, or of each element of a list of maps */
	size_t size;			/* of an element of a list of maps */
};

/* "FILE:LINE:COLUMN: key: expected WANTED, found …": the error of a value. Returns -EINVAL. */
int reader_expected(struct reader *reader, const yaml_node_t *value, const char *wanted);

/* A map, by the table of keys; unknown keys name the nearest, a key given twice is an error at its second place. */
int reader_map(struct reader *reader, const yaml_node_t *map, const struct reader_key *keys, void *place);

/* The text of a scalar, or NULL when VALUE is none. */
const char *reader_text(const yaml_node_t *value);

/* Readers for tables. */
int read_inner_map(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_string(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_string_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_path(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_path_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_package(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_package_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_size(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_number(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_mode(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);
int read_flag(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);

/* An array of structs: VALUE is a list of maps; place holds a pointer followed by a size_t count. */
struct reader_array {
	void *items;
	size_t count;
};
int read_map_list(struct reader *reader, const struct reader_key *key, const yaml_node_t *value, void *place);

#endif
