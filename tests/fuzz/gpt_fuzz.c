/* The partition table parser on any bytes as a disk. */
#include <errno.h>
#include <string.h>

#include "boot/gpt.h"

struct bytes {
	const uint8_t *data;
	size_t len;
};

static int read_bytes(void *context, uint64_t offset, void *data, size_t len)
{
	const struct bytes *from = context;

	if (offset > from->len || len > from->len - offset)
		return -EIO;
	memcpy(data, from->data + offset, len);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct bytes bytes = {data, len};
	struct gpt_source source = {read_bytes, &bytes, len, 512};
	static struct gpt gpt;
	struct err err;

	if (gpt_read(&source, &gpt, &err) < 0)
		return 0;
	/* What was accepted keeps its promises. */
	for (size_t i = 0; i < gpt.count; i++) {
		const struct gpt_partition *p = &gpt.partitions[i];

		if (p->first > p->last || p->last >= len / 512 || !memchr(p->name, 0, sizeof p->name) || !p->number)
			__builtin_trap();
	}
	return 0;
}
