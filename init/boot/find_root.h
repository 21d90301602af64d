/* Find the partitions of the root by its hash: look at every disk, wait for more. */
#ifndef KEELSON_FIND_ROOT_H
#define KEELSON_FIND_ROOT_H

#include "boot/choose_root.h"
#include "boot/cmdline.h"
#include "boot/modules.h"
#include "lib/err.h"

#define DISKS_TEXT_MAX 400

/* Look once at every disk. esp: the loader's partition, or NULL. disks: what was seen, for a person:
 * "vda 6144 MiB, vdb 1 MiB (no GUID partition table)". */
void scan_disks(const uint8_t root_hash[32], const uint8_t *esp, struct roots_found *found, char disks[DISKS_TEXT_MAX]);

/* Scan until a disk is chosen or cmdline->wait_seconds have passed. events: of uevent_open, or -1. Drivers of what
 * comes meanwhile are loaded. Tells every few seconds what it waits for. Returns 0, or -ENOTUNIQ, -ETIMEDOUT. */
int find_root(const struct cmdline *cmdline, int events, struct modules *modules, struct root_candidate *root,
	      struct err *err);

/* What the EFI variable LoaderDevicePartUUID holds, as efivarfs gives it. Pure. Returns 0 or -EINVAL. */
int parse_loader_partition(const uint8_t *data, size_t len, uint8_t uuid[16]);

#endif
