/* A line of an unpacked package's index in the cache. */
#include "fuzz.h"

#include "packages/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct index_entry *entry = calloc(1, sizeof *entry);
	char *line = fuzz_string(data, len);
	struct err err = {""};

	PROMISE(entry);
	if (index_parse_line(line, entry, &err) < 0)
		PROMISE(err.text[0]);
	else
		PROMISE(strchr("dfl", entry->type) && entry->path[0] && memchr(entry->path, 0, PATH_MAX) &&
			memchr(entry->target, 0, PATH_MAX));
	free(line);
	free(entry);
	return 0;
}
