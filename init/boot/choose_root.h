/* Which disk is ours, decided from what was found on all of them. Pure. */
#ifndef KEELSON_CHOOSE_ROOT_H
#define KEELSON_CHOOSE_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boot/gpt.h"
#include "lib/err.h"

#define ROOT_CANDIDATES_MAX 8
#define DEVICE_NAME_MAX 32

/* A disk that holds both partitions of our root. */
struct root_candidate {
	char disk[DEVICE_NAME_MAX];			     /* vda */
	char root[DEVICE_NAME_MAX], verity[DEVICE_NAME_MAX]; /* vda3, vda4 */
	char root_number[16], verity_number[16];	     /* "254:3", as the kernel names a device */
	uint64_t root_bytes, verity_bytes;
	uint32_t partition; /* number of the root */
	char label[GPT_NAME_MAX];
	bool holds_esp;	  /* the boot loader's own partition is on it too */
	char damage[120]; /* of the primary partition table; "": none */
};

struct roots_found {
	struct root_candidate candidates[ROOT_CANDIDATES_MAX];
	size_t count;
	bool esp_named;	    /* the boot loader told its partition */
	bool esp_elsewhere; /* and it is on a disk without our root */
};

/* How long disks have been quiet and been waited for. */
struct root_patience {
	bool quiet;   /* no disk has come for a moment */
	bool patient; /* the loader's disk had time to appear */
};

/* Returns the index of the candidate; -EAGAIN: wait on; -ENOTUNIQ: several, and err names two. */
int choose_root(const struct roots_found *found, const struct root_patience *patience, struct err *err);

/* "slot A", "slot B", or "partition N" where the table is not ours. */
const char *slot_name(uint32_t partition, char text[24]);

#endif
