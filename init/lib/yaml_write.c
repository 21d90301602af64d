/* Write a JSON tree as YAML that a person reads.
 *
 * The reader is Kubernetes' (YAML 1.1): a string that could be taken for a number, a boolean, a date or a base-60
 * number there is quoted. A string of several lines (a certificate) becomes a literal block.
 */
#include "lib/yaml_write.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

static bool is_reserved(const char *s)
{
	static const char *const words[] = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", NULL};

	for (const char *const *word = words; *word; word++)
		if (!strcasecmp(s, *word))
			return true;
	return false;
}

static bool is_plain(const char *s)
{
	bool flag = s[0] == '-' && s[1] == '-' && isalpha((unsigned char)s[2]);

	if (!isalpha((unsigned char)s[0]) && s[0] != '/' && !flag)
		return false;
	if (is_reserved(s))
		return false;
	for (const char *p = s; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("_-./=,@$()*+%", *p))
			continue;
		if (*p == ':' && p[1] && p[1] != ' ')
			continue;
		return false;
	}
	return true;
}

/* Only what prints, tabs aside, and ends with one newline: then a literal block says the same. */
static bool is_block(const char *s)
{
	size_t len = strlen(s);

	if (len < 2 || s[len - 1] != '\n' || s[len - 2] == '\n' || s[0] == ' ' || s[0] == '\n' || s[0] == '\t')
		return false;
	for (const char *p = s; *p; p++)
		if ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t')
			return false;
	return true;
}

static int indent(struct buf *buf, int depth)
{
	return buf_addf(buf, "%*s", depth * 2, "");
}

static int write_block(const char *s, int depth, struct buf *buf)
{
	int r = buf_add_string(buf, "|");

	while (!r && *s) {
		const char *end = strchr(s, '\n');

		r = buf_add_string(buf, "\n");
		if (!r && end != s)
			r = indent(buf, depth);
		if (!r)
			r = buf_add(buf, s, (size_t)(end - s));
		s = end + 1;
	}
	return r;
}

static int write_quoted(const json_t *string, struct buf *buf)
{
	/* JSON's form of a string is YAML's double-quoted one. */
	char *text = json_dumps(string, JSON_ENCODE_ANY);
	int r = text ? buf_add_string(buf, text) : -1;

	free(text);
	return r;
}

static int write_scalar(const json_t *value, int depth, struct buf *buf)
{
	const char *s = json_string_value(value);

	if (!s)
		return write_quoted(value, buf);
	if (is_block(s))
		return write_block(s, depth, buf);
	return is_plain(s) ? buf_add_string(buf, s) : write_quoted(value, buf);
}

static bool is_nested(const json_t *value)
{
	return (json_is_object(value) && json_object_size(value)) || (json_is_array(value) && json_array_size(value));
}

static int write_nested(const json_t *value, int depth, bool started, struct buf *buf);

/* What stands behind "key:" or "-". */
static int write_value(const json_t *value, int depth, bool in_sequence, struct buf *buf)
{
	int r;

	if (!is_nested(value)) {
		r = buf_add_string(buf, " ");
		if (!r)
			r = write_scalar(value, depth + 1, buf);
		return r ? r : buf_add_string(buf, "\n");
	}
	r = buf_add_string(buf, in_sequence ? " " : "\n");
	if (r)
		return r;
	if (in_sequence)
		return write_nested(value, depth + 1, true, buf);
	return write_nested(value, json_is_object(value) ? depth + 1 : depth, false, buf);
}

/* started: the first line's indentation is there already, behind a "-". */
static int write_nested(const json_t *value, int depth, bool started, struct buf *buf)
{
	const char *key;
	json_t *item;
	size_t i;
	int r = 0;

	json_array_foreach (value, i, item) {
		r = started && i == 0 ? 0 : indent(buf, depth);
		if (!r)
			r = buf_add_string(buf, "-");
		if (!r)
			r = write_value(item, depth, true, buf);
		if (r)
			return r;
	}
	json_object_foreach ((json_t *)(uintptr_t)value, key, item) {
		json_t *name = json_string(key);

		r = started ? 0 : indent(buf, depth);
		started = false;
		if (!r)
			r = name ? write_scalar(name, depth, buf) : -1;
		json_decref(name);
		if (!r)
			r = buf_add_string(buf, ":");
		if (!r)
			r = write_value(item, depth, false, buf);
		if (r)
			return r;
	}
	return 0;
}

int yaml_write(const json_t *tree, struct buf *buf)
{
	if (is_nested(tree))
		return write_nested(tree, 0, false, buf);
	return write_scalar(tree, 0, buf) || buf_add_string(buf, "\n") ? -1 : 0;
}
