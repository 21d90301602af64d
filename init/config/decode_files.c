/* What write_files holds, decoded: after this, a file is a path, bytes and rights.
 *
 * Names of encodings are cloud-init's ("Write files" in its module reference). Its own reader takes an unknown
 * encoding for plain text; here the schema refuses it.
 */
#include <string.h>

#include "config/document.h"
#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/gunzip.h"

static bool decode_text(const char *text, bool base64, bool gzip, size_t room, struct buf *data, struct err *err)
{
	_cleanup_(buf_free) struct buf packed = {0};
	const char *bytes = text;
	size_t len = strlen(text);

	if (base64) {
		if (base64_decode(text, len, &packed) < 0) {
			err_set(err, 0, "expected base64");
			return false;
		}
		bytes = buf_string(&packed);
		len = packed.len;
	}
	if (gzip)
		return gunzip(bytes, len, room, data, err) == 0;
	if (len > room || buf_add(data, bytes, len) < 0) {
		err_set(err, 0, "expected at most %zu bytes in all files together, found more", FILES_MAX_BYTES);
		return false;
	}
	return true;
}

/* Returns the bytes taken. */
static size_t decode_file(const struct yaml_node *node, json_t *file, size_t index, size_t room, struct report *report)
{
	const struct yaml_child *content = yaml_child_of(node, "content");
	const char *encoding = json_string_value(json_object_get(file, "encoding"));
	const char *text = json_string_value(json_object_get(file, "content"));
	_cleanup_(buf_free) struct buf data = {0}, base64 = {.max = 2 * FILES_MAX_BYTES};
	bool binary = content && content->value->binary;
	struct err err;

	if (content && text &&
	    !decode_text(text, binary || (encoding && strstr(encoding, "64")), encoding && !strncmp(encoding, "gz", 2),
			 room, &data, &err)) {
		report_error(report, content->value->line, content->value->column, "write_files[%zu].content: %s",
			     index, err.text);
		return 0;
	}
	base64_encode(buf_string(&data), data.len, &base64);
	json_object_del(file, "content");
	json_object_del(file, "encoding");
	json_object_set_new(file, "data", json_string(buf_string(&base64)));
	json_object_set_new(file, "line", json_integer(node->line));
	json_object_set_new(file, "column", json_integer(node->column));
	return data.len;
}

void decode_files(const struct yaml_node *root, json_t *values, struct report *report)
{
	const struct yaml_child *list = yaml_child_of(root, "write_files");
	json_t *files = json_object_get(values, "write_files");
	size_t room = FILES_MAX_BYTES;

	for (size_t i = 0; list && i < json_array_size(files); i++) {
		json_t *file = json_array_get(files, i);

		if (json_is_object(file))
			room -= decode_file(list->value->children[i].value, file, i, room, report);
	}
}
