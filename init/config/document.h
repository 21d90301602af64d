/* One document of user-data: from bytes to checked values. `keelson validate` and a booting node run this very code.
 *
 * It touches nothing but memory, so that a node can run it where it has no rights left.
 */
#ifndef KEELSON_DOCUMENT_H
#define KEELSON_DOCUMENT_H

#include <jansson.h>

#include "config/report.h"
#include "lib/buf.h"
#include "lib/yaml_tree.h"

#define USER_DATA_MAX_BYTES ((size_t)1 << 20)

/* Decoded content of all write_files together. */
#define FILES_MAX_BYTES ((size_t)8 << 20)

/* All other values as JSON, aliases counted as often as they are used. */
#define VALUES_MAX_BYTES ((size_t)2 << 20)

struct document {
	struct buf text; /* what is behind gzip and base64: what is kept as last known good */
	json_t *values;	 /* the values given, typed by the schema, without defaults; NULL: not even YAML. Entries of
			  * write_files have data (base64), line and column instead of content and encoding. Beside
			  * timezone stands timezone_place: line and column. */
	struct report report;
};

/* Returns 0 when the document is valid (it may have warnings), -EINVAL when the report has errors, or -ENOMEM.
 * The caller frees with document_free in every case. */
int document_read(const void *bytes, size_t len, struct document *document);

void document_free(struct document *document);

/* ---- its steps, in this order */

/* user_data.c: take gzip and base64 away, and see that it is #cloud-config. What else it is, is named. */
int user_data_unwrap(const void *bytes, size_t len, struct buf *text, struct report *report);

/* read_values.c: the tree as typed values; every deviation from the schema is reported, and the value left out. */
json_t *read_values(const struct yaml_node *root, struct report *report);

/* decode_files.c: content and encoding of write_files become data. */
void decode_files(const struct yaml_node *root, json_t *values, struct report *report);

/* check_contradictions.c: values that are right each for itself but not together; reported at the later key. */
void check_contradictions(const struct yaml_node *root, const json_t *values, struct report *report);

/* check_files.c, check_manifests.c, kubelet_fields.c: values in which a node would find the mistake only later. */
void check_files(const struct yaml_node *root, const json_t *values, struct report *report);
void check_manifests(const struct yaml_node *root, const json_t *values, struct report *report);
void check_kubelet_fields(const struct yaml_node *root, struct report *report);

/* not_yet.c: what the schema has and this version of Keelson does not do. */
void check_not_yet(const struct yaml_node *root, const json_t *values, struct report *report);

/* The key at "a.b.c" in the text; NULL: not there. */
const struct yaml_child *yaml_place(const struct yaml_node *root, const char *path);

/* Whether nothing is said: "key:", "key: ~", "key: null". */
bool yaml_is_null(const struct yaml_node *node);

/* A string at "a.b.c"; NULL where it is not there. */
const char *values_string(const json_t *values, const char *path);
const json_t *values_get(const json_t *values, const char *path);

#endif
