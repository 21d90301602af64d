/* Names of block devices below /dev/disk, as udev makes them. Pure. */
#ifndef KEELSON_DEVICE_NAMES_H
#define KEELSON_DEVICE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#define LINK_NAME_MAX 256

/* A label as one file name: letters, digits, "#+-.:=@_" and valid UTF-8 stay, everything else becomes \xNN. Returns
 * false when there is nothing left to name, or no room. */
bool escape_label(const char *label, char name[LINK_NAME_MAX]);

/* A model or serial number as part of a file name: blanks at the ends go, others and odd characters become '_'. */
void plain_serial(const char *serial, char name[LINK_NAME_MAX]);

/* What sysfs says of a disk; "" where it says nothing. */
struct disk_identity {
	char name[64];		    /* vda, nvme0n1, sda, dm-0 */
	char serial[LINK_NAME_MAX]; /* of the disk itself: virtio */
	char model[LINK_NAME_MAX];  /* of its controller: nvme */
	char nvme_serial[LINK_NAME_MAX];
	char wwid[LINK_NAME_MAX]; /* "naa.…", "eui.…", "t10.ATA     MODEL…SERIAL…" */
	char dm_name[LINK_NAME_MAX], dm_uuid[LINK_NAME_MAX];
	char path[1024];   /* below /sys/devices: "pci0000:00/0000:00:04.0/virtio1/block/vda" */
	unsigned ata_port; /* port of its ATA controller, from 1; 0: none */
};

/* The index-th name below by-id; false: no more. */
bool id_name(const struct disk_identity *disk, unsigned index, char name[LINK_NAME_MAX]);

/* Its name below by-path; false: none that would stay the same. */
bool path_name(const struct disk_identity *disk, char name[LINK_NAME_MAX]);

#endif
