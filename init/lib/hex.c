/* Hexadecimal digits and UUIDs as text. */
#include "lib/hex.h"

#include <errno.h>
#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int hex_bytes(const char *text, size_t digits, uint8_t *bytes, size_t len)
{
	if (digits != 2 * len)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return -EINVAL;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

void hex_text(const uint8_t *bytes, size_t len, char *text)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 15];
	}
	*text = 0;
}

int uuid_bytes(const char *text, uint8_t uuid[16])
{
	char digits[32];
	size_t n = 0;

	if (strlen(text) != 36)
		return -EINVAL;
	for (size_t i = 0; i < 36; i++) {
		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (text[i] != '-')
				return -EINVAL;
			continue;
		}
		digits[n++] = text[i];
	}
	return hex_bytes(digits, sizeof digits, uuid, 16);
}

void uuid_text(const uint8_t uuid[16], char text[37])
{
	static const uint8_t lengths[] = {4, 2, 2, 2, 6};

	for (size_t i = 0; i < sizeof lengths; i++) {
		hex_text(uuid, lengths[i], text);
		uuid += lengths[i];
		text += 2 * lengths[i];
		*text++ = i + 1 < sizeof lengths ? '-' : 0;
	}
}
