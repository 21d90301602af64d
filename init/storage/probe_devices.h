/* What lies on block devices, read where a mistake costs nothing. */
#ifndef KEELSON_PROBE_DEVICES_H
#define KEELSON_PROBE_DEVICES_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

#define PROBED_AT_ONCE 64

struct probed {
	const char *name; /* below /dev; "vda" */
	int index;	  /* of the caller's choice, comes back in the answer */
};

/* Probe up to PROBED_AT_ONCE devices. answer gets lines of three or four words, each already a safe file name:
 *   INDEX uuid UUID            of the file system
 *   INDEX label LABEL
 *   INDEX partuuid NUMBER UUID  of partition NUMBER in the table on it
 *   INDEX partlabel NUMBER LABEL
 * A device that cannot be read, or whose reader dies, gives no lines and costs the others nothing. */
int probe_devices(const struct probed *devices, size_t count, struct buf *answer, struct err *err);

#endif
