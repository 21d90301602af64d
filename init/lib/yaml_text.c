/* The bytes of a YAML text before the parser sees them. */
#include "lib/yaml_tree.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "lib/utf8.h"

/* The line breaks of YAML 1.1 count as the parser counts them. */
static bool is_break(uint32_t c)
{
	return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static const char *forbidden(uint32_t c)
{
	if (c == 0)
		return "a NUL byte";
	if (c == 0x1b)
		return "an escape character (ESC)";
	if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f || (c >= 0x80 && c < 0xa0 && c != 0x85))
		return "a control character";
	return c == 0xfffe || c == 0xffff ? "a character that Unicode does not have" : NULL;
}

int yaml_text_check(const char *text, size_t len, unsigned *line, unsigned *column, const char **found)
{
	const unsigned char *p = (const unsigned char *)text;

	*line = *column = 1;
	if (len >= 2 && (!memcmp(p, "\xff\xfe", 2) || !memcmp(p, "\xfe\xff", 2))) {
		*found = "UTF-16 (save the file as UTF-8)";
		return -EINVAL;
	}
	for (size_t i = 0; i < len;) {
		uint32_t c = 0;
		size_t bytes = utf8_decode(p + i, len - i, &c);

		*found = bytes ? forbidden(c) : "a byte that is not UTF-8";
		if (*found)
			return -EINVAL;
		i += bytes;
		if (c == '\r' && i < len && p[i] == '\n')
			continue;
		if (is_break(c)) {
			++*line;
			*column = 1;
		} else if (c != 0xfeff || i != 3) {
			++*column;
		}
	}
	return 0;
}

bool yaml_text_blank_line(char *text, size_t len, unsigned line)
{
	unsigned at = 1;
	size_t start = 0, end;
	bool tabs = false;

	for (size_t i = 0; i < len && at < line;) {
		uint32_t c = 0;
		size_t bytes = utf8_decode((unsigned char *)text + i, len - i, &c);

		i += bytes ? bytes : 1;
		if (c == '\r' && i < len && text[i] == '\n')
			continue;
		if (is_break(c)) {
			at++;
			start = i;
		}
	}
	if (at < line)
		return false;
	for (end = start; end < len && (text[end] == ' ' || text[end] == '\t'); end++)
		tabs |= text[end] == '\t';
	if (!tabs || (end < len && text[end] != '\n' && text[end] != '\r'))
		return false;
	memset(text + start, ' ', end - start);
	return true;
}
