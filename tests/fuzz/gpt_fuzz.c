/* Any bytes as a disk: as they are, and once more with the checksums of both tables made right, so that what lies
 * behind them is reached. What was taken keeps its promises. */
#include "fuzz.h"

#include <errno.h>

#include "boot/gpt.h"
#include "lib/little_endian.h"

#define SECTOR 512
#define HEADER_BYTES_MAX 512u

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

static void check(const uint8_t *data, size_t len)
{
	struct bytes bytes = {data, len};
	struct gpt_source source = {read_bytes, &bytes, len, SECTOR};
	static struct gpt gpt;
	struct err err = {""};

	if (gpt_read(&source, &gpt, &err) < 0) {
		PROMISE(err.text[0]);
		return;
	}
	for (size_t i = 0; i < gpt.count; i++) {
		const struct gpt_partition *p = &gpt.partitions[i];
		const struct gpt_partition *found = gpt_find(&gpt, p->uuid);

		PROMISE(p->first <= p->last && p->last < len / SECTOR && p->number);
		PROMISE(memchr(p->name, 0, sizeof p->name));
		PROMISE(found && found <= p);
	}
}

static void make_checksums_right(uint8_t *disk, size_t len, size_t header)
{
	uint8_t *h = disk + header;
	uint64_t entries = le64_at(h + 72), bytes = (uint64_t)le32_at(h + 80) * le32_at(h + 84);
	uint32_t size = le32_at(h + 12);

	if (entries <= len / SECTOR && bytes <= len - entries * SECTOR)
		fuzz_put32(h + 88, gpt_crc32(0, disk + entries * SECTOR, (size_t)bytes));
	fuzz_put32(h + 16, 0);
	if (size <= HEADER_BYTES_MAX)
		fuzz_put32(h + 16, gpt_crc32(0, h, size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy;

	check(data, len);
	if (len < 6 * SECTOR)
		return 0;
	copy = fuzz_copy(data, len, 0);
	make_checksums_right(copy, len, SECTOR);
	make_checksums_right(copy, len, (len / SECTOR - 1) * SECTOR);
	check(copy, len);
	free(copy);
	return 0;
}
