/* UTF-8: taken apart, and made fit to print. */
#include "lib/utf8.h"

#include <string.h>

size_t utf8_decode(const unsigned char *p, size_t left, uint32_t *c)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	if (!len || len > left)
		return 0;
	*c = len == 1 ? p[0] : p[0] & (0xffU >> (len + 1));
	for (size_t i = 1; i < len; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*c = *c << 6 | (p[i] & 63);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return len;
}

/* What is shown instead of a character; 0: the character itself. */
static char instead_of(size_t bytes, uint32_t c)
{
	if (!bytes)
		return '?';
	if (c == '\n' || c == '\r' || c == '\t' || c == 0x2028 || c == 0x2029)
		return ' ';
	/* C0, DEL and C1, then what changes the direction of the text behind it */
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
		return '?';
	return 0;
}

void utf8_printable(char *text)
{
	size_t len = strlen(text), to = 0;

	for (size_t i = 0; i < len;) {
		uint32_t c = 0;
		size_t bytes = utf8_decode((unsigned char *)text + i, len - i, &c);
		char shown = instead_of(bytes, c);

		if (shown) {
			text[to++] = shown;
		} else {
			memmove(text + to, text + i, bytes);
			to += bytes;
		}
		i += bytes ? bytes : 1;
	}
	text[to] = 0;
}
