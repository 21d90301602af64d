/* What write_files holds, decoded: after this, a file is a path, bytes and rights.
 *
 * Names of encodings are cloud-init's ("Write files" in its module reference). Its own reader takes an unknown
 * encoding for plain text; here the schema refuses it.
 */
#include <errno.h>
#include <string.h>

#include "config/document.h"
#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/gunzip.h"

/* One content, at most `room` bytes of it. Returns 0, -EFBIG when it is longer, or -EINVAL with the reason in err. */
static int decode_text(const char *text, bool base64, bool gzip, size_t room, struct buf *data, struct err *err)
{
	_cleanup_(buf_free) struct buf packed = {0};
	const char *bytes = text;
	size_t len = strlen(text);

	if (base64) {
		if (base64_decode(text, len, &packed) < 0)
			return err_set(err, EINVAL, "expected base64");
		bytes = buf_string(&packed);
		len = packed.len;
	}
	if (gzip)
		return gunzip(bytes, len, room, data, err);
	if (len > room)
		return -EFBIG;
	return buf_add(data, bytes, len) < 0 ? err_set(err, ENOMEM, "no memory") : 0;
}

static void keep_data(const struct yaml_node *node, const struct buf *data, json_t *file)
{
	_cleanup_(buf_free) struct buf base64 = {.max = 2 * FILES_MAX_BYTES};

	base64_encode(buf_string(data), data->len, &base64);
	json_object_del(file, "content");
	json_object_del(file, "encoding");
	json_object_set_new(file, "data", json_string(buf_string(&base64)));
	json_object_set_new(file, "line", json_integer(node->line));
	json_object_set_new(file, "column", json_integer(node->column));
}

/* `room` shrinks by what was unpacked, also where that turned out to be damaged. Returns -EFBIG when it is used up. */
static int decode_file(const struct yaml_node *node, json_t *file, size_t index, size_t *room, struct report *report)
{
	const struct yaml_child *content = yaml_child_of(node, "content");
	const char *encoding = json_string_value(json_object_get(file, "encoding"));
	const char *text = json_string_value(json_object_get(file, "content"));
	_cleanup_(buf_free) struct buf data = {0};
	bool gzip = encoding && !strncmp(encoding, "gz", 2);
	struct err err;
	int r = 0;

	if (content && text)
		r = decode_text(text, content->value->binary || (encoding && strstr(encoding, "64")), gzip, *room,
				&data, &err);
	if (r == -EFBIG)
		err_set(&err, EFBIG, "expected at most %zu bytes in all files together, found more", FILES_MAX_BYTES);
	if (r < 0)
		report_error(report, content->value->line, content->value->column, "write_files[%zu].content: %s",
			     index, err.text);
	else
		keep_data(node, &data, file);
	*room -= data.len;
	return r == -EFBIG ? r : 0;
}

/* What is too long is told once: unpacking every further file up to the bound would take minutes. */
void decode_files(const struct yaml_node *root, json_t *values, struct report *report)
{
	const struct yaml_child *list = yaml_child_of(root, "write_files");
	json_t *files = json_object_get(values, "write_files");
	size_t room = FILES_MAX_BYTES;

	for (size_t i = 0; list && i < json_array_size(files); i++) {
		json_t *file = json_array_get(files, i);

		if (json_is_object(file) &&
		    decode_file(list->value->children[i].value, file, i, &room, report) == -EFBIG)
			return;
	}
}
