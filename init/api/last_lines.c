#include "api/last_lines.h"

#include <string.h>

const char *last_lines(const char *text, size_t len, bool cut, long lines)
{
	const char *end = text + len, *p = end, *first = cut ? memchr(text, '\n', len) : NULL;

	if (lines == 0)
		return end;
	if (len && p[-1] == '\n')
		p--;
	while (p > text)
		if (*--p == '\n' && --lines == 0)
			return p + 1;
	return first ? first + 1 : text;
}
