/* What every fuzz target includes: the entry that libFuzzer and replay.c call, and what a target promises. */
#ifndef KEELSON_FUZZ_H
#define KEELSON_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What must hold for every input, whatever it is. */
#define PROMISE(holds)                                                                                                 \
	do {                                                                                                           \
		if (!(holds)) {                                                                                        \
			fprintf(stderr, "%s:%d: promise broken: %s\n", __FILE__, __LINE__, #holds);                    \
			abort();                                                                                       \
		}                                                                                                      \
	} while (0)

/* A copy that is len + room bytes long and not one more, so that the sanitizers see a step beyond. To be freed. */
static inline void *fuzz_copy(const void *data, size_t len, size_t room)
{
	char *copy = calloc(1, len + room ? len + room : 1);

	PROMISE(copy);
	if (len)
		memcpy(copy, data, len);
	return copy;
}

static inline void fuzz_put32(uint8_t *to, uint32_t value) /* little-endian */
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* The bytes as a string of their own, up to the first NUL. To be freed. */
static inline char *fuzz_string(const uint8_t *data, size_t len)
{
	const uint8_t *end = len ? memchr(data, 0, len) : NULL;

	return fuzz_copy(data, end ? (size_t)(end - data) : len, 1);
}

/* The input is pieces: one byte that says what it is, two of length (the lower first), and so many bytes. The last may
 * be cut short. Returns the kind, or -1 at the end. */
static inline int fuzz_piece(const uint8_t **data, size_t *len, const uint8_t **piece, size_t *size)
{
	int kind;

	if (*len < 3)
		return -1;
	kind = (*data)[0];
	*size = (size_t)(*data)[1] | (size_t)(*data)[2] << 8;
	*piece = *data + 3;
	*len -= 3;
	if (*size > *len)
		*size = *len;
	*data = *piece + *size;
	*len -= *size;
	return kind;
}

#endif
