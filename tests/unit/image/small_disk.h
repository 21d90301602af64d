/* The plan of a disk as small as it can be: the ESP, root and verity partitions are a few MiB. */
#ifndef KEELSON_TEST_SMALL_DISK_H
#define KEELSON_TEST_SMALL_DISK_H

#include "disk/plan_disk.h"
#include "unit/test.h"

static inline void small_disk(struct disk_plan *plan)
{
	struct disk_description d = {.version = "1.4.0",
				     .disk_bytes = (uint64_t)272 << 20,
				     .esp_bytes = 2 << 20,
				     .root_bytes = 4 << 20,
				     .verity_bytes = 1 << 20};
	struct err err;

	for (unsigned i = 0; i < sizeof d.root_hash; i++)
		d.root_hash[i] = (uint8_t)(0xa0 + i);
	if (plan_disk(&d, plan, &err) < 0)
		fail_msg("%s", err.text);
}

#endif
