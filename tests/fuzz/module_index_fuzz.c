/* depmod's look-up table. The first line of the input is what is looked up, the rest is the table. */
#include "fuzz.h"

#include "storage/module_index.h"

struct seen {
	const struct module_index *index;
	size_t count;
};

static void found(void *context, const char *value)
{
	struct seen *seen = context;
	const char *start = (const char *)seen->index->data;

	PROMISE(value >= start && value + strlen(value) < start + seen->index->len);
	seen->count++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const uint8_t *newline = len ? memchr(data, '\n', len) : NULL;
	struct module_index index;
	struct seen seen = {&index, 0};
	char *key;

	if (!newline)
		return 0;
	key = fuzz_string(data, (size_t)(newline - data));
	index.len = len - (size_t)(newline + 1 - data);
	index.data = fuzz_copy(newline + 1, index.len, 0);
	if (!index_check(&index)) {
		index_find(&index, key, found, &seen);
		index_match(&index, key, found, &seen);
		index_match(&index, "pci:v00001AF4d00001000sv00001AF4sd00000001bc02sc00i00", found, &seen);
	}
	free((void *)(uintptr_t)index.data);
	free(key);
	return 0;
}
