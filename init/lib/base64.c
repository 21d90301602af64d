/* Base64 (RFC 4648 section 4). */
#include "lib/base64.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(const void *data, size_t len, struct buf *text)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i += 3) {
		size_t left = len - i;
		uint32_t bits =
			(uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
		char four[4] = {alphabet[bits >> 18], alphabet[bits >> 12 & 63], alphabet[bits >> 6 & 63],
				alphabet[bits & 63]};
		int r;

		if (left < 3)
			four[3] = '=';
		if (left < 2)
			four[2] = '=';
		r = buf_add(text, four, sizeof four);
		if (r < 0)
			return r;
	}
	return buf_add(text, "", 0);
}

static int value_of(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

int base64_decode(const char *text, size_t len, struct buf *data)
{
	uint32_t bits = 0;
	unsigned have = 0, padding = 0;
	int r;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		int value = value_of(c);
		unsigned char byte;

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
			continue;
		if (c == '=' && ++padding <= 2)
			continue;
		if (value < 0 || padding)
			return -EINVAL;
		bits = bits << 6 | (uint32_t)value;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		byte = (unsigned char)(bits >> have & 255);
		r = buf_add(data, &byte, 1);
		if (r < 0)
			return r;
	}
	/* What is left over are the zero bits of the last group: 0, 2 or 4; padding, where given, fills the group. */
	if (have == 6 || (bits & ((1U << have) - 1)) || (padding && padding * 2 != have))
		return -EINVAL;
	return buf_add(data, "", 0);
}
