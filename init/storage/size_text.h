/* Sizes as a person reads them. */
#ifndef KEELSON_SIZE_TEXT_H
#define KEELSON_SIZE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define SIZE_TEXT_LEN 24

/* "512 MiB", "2.9 GiB", "12 GiB". Returns text. */
const char *size_text(uint64_t bytes, char text[SIZE_TEXT_LEN]);

/* The same in place, for one use in the same statement's block. */
#define SIZE_TEXT(bytes) size_text(bytes, (char[SIZE_TEXT_LEN]){0})

/* Say in err->text how full the file system on PATH is, when that needs a person: returns 1, else 0. */
int describe_fullness(const char *path, struct err *err);

#endif
