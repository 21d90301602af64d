/* The block devices of the node and their names below /dev/disk. */
#ifndef KEELSON_BLOCK_DEVICES_H
#define KEELSON_BLOCK_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

#define BLOCK_DEVICES_MAX 512

struct block_device {
	char name[64];	  /* below /dev */
	bool present;	  /* false: a free row */
	bool stale;	  /* to be probed again */
	int watch;	  /* of inotify: somebody wrote to it; -1: none */
	struct buf own;	  /* its links, one a line */
	struct buf parts; /* of a disk: "NUMBER LINK" lines for its partitions, from the table on it */
};

struct block_devices {
	struct block_device all[BLOCK_DEVICES_MAX];
	size_t count; /* rows in use or free again */
	int inotify;  /* -1: none */
	bool changed; /* links have to be made again */
};

/* Whether devices of this name are looked at: no loop, ram or floppy. Pure. */
bool is_block_name_of_interest(const char *name);

/* One line of probe_devices into the device it is about; what is not of that form is dropped. Pure. */
void take_probe_line(struct block_devices *devices, const char *line);

void open_block_devices(struct block_devices *devices);

/* Add all that sysfs has. */
void add_block_devices(struct block_devices *devices);

/* From an event. A disk's partitions get their names from the disk's table, so it is probed with them. */
void block_device_changed(struct block_devices *devices, const char *name);
void block_device_removed(struct block_devices *devices, const char *name);

/* What inotify has seen. */
void take_block_writes(struct block_devices *devices);

/* Probe what is stale and bring the links up to date. */
void refresh_block_devices(struct block_devices *devices);

/* Whole disks with a medium. */
unsigned count_disks(void);

#endif
