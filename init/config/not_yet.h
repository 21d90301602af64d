/* What the schema has and this version does not do: one table, for validation, `--keys` and the schema for editors. */
#ifndef KEELSON_NOT_YET_H
#define KEELSON_NOT_YET_H

#include <stddef.h>

#define NOT_YET_NOTE_BYTES 80u

/* What is to be said behind the meaning of a key: " (not in this version yet)"; "" where there is nothing to say. */
void not_yet_note(const char *path, char *note, size_t room);

#endif
