/* What is on the state partition. */
#ifndef KEELSON_INSPECT_STATE_H
#define KEELSON_INSPECT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

/* The label of a file system that is being made. It becomes LABEL_DONE once everything is on the disk, so a power cut
 * in the middle of formatting is seen, and half a file system is never taken for damaged data. */
#define LABEL_FORMATTING "formatting"
#define LABEL_DONE "state"

/* An ext4 superblock, as far as we look at it. */
struct superblock {
	bool present;
	bool clean; /* unmounted in order, no journal to replay */
	bool error; /* the kernel found something wrong while it was mounted */
	char label[17];
	uint64_t bytes; /* of the file system */
};

struct state_content {
	bool in_use;		   /* the partition table says that there was something to lose */
	bool wiped;		   /* the first MiB is nothing but zeroes */
	struct superblock primary; /* at byte 1024 */
	struct superblock backup;  /* the first copy found, looked for only where there is no primary */
	char found[64];		   /* what libblkid calls it ("xfs", "LVM2_member"); empty: nothing at all */
};

/* Pure: 1024 bytes as they lie on the disk. */
void parse_superblock(const unsigned char bytes[1024], struct superblock *to);

/* All but in_use, which is not on DEVICE. */
int inspect_state(const char *device, struct state_content *content, struct err *err);

/* Wipe every copy of a superblock that is looked at, and sync. */
int forget_backups(const char *device, struct err *err);

enum state_action {
	STATE_FORMAT,	    /* nothing was ever there */
	STATE_FORMAT_AGAIN, /* a format that did not end */
	STATE_MOUNT,	    /* ext4, unmounted in order */
	STATE_CHECK,	    /* ext4, to be checked first */
	STATE_REFUSE,	    /* something that is not ours, or nothing where ours was */
};

/* Pure. Formats only where nothing at all is found, and nothing ever was in use or the first MiB was wiped. */
enum state_action decide_state(const struct state_content *content);

#endif
