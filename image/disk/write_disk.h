/* The raw disk: GPT at both ends, ESP, root and verity tree in place, everything else a hole. No root, no loop device.
 */
#ifndef KEELSON_WRITE_DISK_H
#define KEELSON_WRITE_DISK_H

#include "disk/plan_disk.h"
#include "lib/err.h"

struct disk_contents {
	const char *esp, *root, *verity; /* files; each must fit its partition */
	const char *output;		 /* replaced atomically */
};

int write_disk(const struct disk_plan *plan, const struct disk_contents *contents, struct err *err);

#endif
