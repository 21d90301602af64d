/* The kernel's file systems that a node needs: one row each, with the reason. */
#ifndef KEELSON_MOUNTS_H
#define KEELSON_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

enum mount_stage { MOUNT_STAGE1, MOUNT_STAGE2 };

enum mount_trait {
	MOUNT_NEEDED = 0,
	MOUNT_OPTIONAL = 1,    /* a kernel or a machine without it goes on */
	MOUNT_NO_MODPROBE = 2, /* the kernel is kept from starting modprobe for an extra: 0.8 s from a cold disk */
};

struct mount_row {
	enum mount_stage stage;
	const char *target, *type, *data;
	unsigned long flags;
	const char *make[3]; /* directories that are made first, in order */
	unsigned traits;     /* MOUNT_OPTIONAL, … */
	const char *reason;
};

extern const struct mount_row mount_rows[];
extern const size_t mount_rows_count;

/* What mounting does to the system; tests put their own here. */
struct mount_system {
	bool (*is_mounted)(const char *target);
	int (*make_directory)(const char *path);   /* 0 or -errno, no -EEXIST */
	int (*mount)(const struct mount_row *row); /* 0 or -errno */
};

extern const struct mount_system mount_system;

/* Mount every row of a stage that is not there already. Returns 0, or the error of the first row that is not
 * optional. */
int mount_all(enum mount_stage stage, const struct mount_system *system, struct err *err);

#endif
