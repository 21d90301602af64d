/* Where seeds come from: one row each, asked in the order of the table. */
#ifndef KEELSON_DATASOURCE_H
#define KEELSON_DATASOURCE_H

#include "config/seed.h"
#include "lib/buf.h"

struct datasource {
	const char *name;
	/* Returns 1 with a seed (also one that is invalid, which its errors say), 0: there is none (`looked` then says
	 * in a few words where it was looked for), or negative errno: there is one that cannot be read. */
	int (*read)(struct seed *seed, struct buf *looked, struct err *err);
};

extern const struct datasource datasources[]; /* ends with a NULL name */

/* nocloud.c: a vfat or ISO 9660 file system labelled cidata, in either case. */
int nocloud_read(struct seed *seed, struct buf *looked, struct err *err);

/* ---- probe_disks.c: which block devices are labelled cidata */

#define DISKS_MAX 64u

struct seed_disk {
	char name[32];		/* "sr0": in /dev and in /sys/class/block */
	const char *filesystem; /* "iso9660" or "vfat" */
};

/* Fills in the disks labelled so, in the order in which they are taken: by name, backwards, as cloud-init does ("sr0"
 * before "sda", "vdb" before "vda"). looked gets the names of all that were looked at. Returns how many, or -errno. */
int probe_disks(struct seed_disk found[DISKS_MAX], struct buf *looked, struct err *err);

/* Whether a block device of that name may be a seed at all: floppies, RAM disks and the like are not opened. Pure. */
bool may_be_seed(const char *name);

/* Sort names into that order. Pure. */
void order_disks(struct seed_disk *disks, size_t count);

#endif
