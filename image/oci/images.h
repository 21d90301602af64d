/* The container images that an image brings along, and that tests use. */
#ifndef KEELSON_IMAGES_H
#define KEELSON_IMAGES_H

#include <stdint.h>

#include "lib/err.h"
#include "string_list.h"

struct image_wish {
	const char *kind;    /* base | busybox | agnhost */
	const char *program; /* build/pause, BusyBox, agnhost */
	const char *busybox; /* for agnhost: the shell and small programs that tests run beside it; or NULL */
	const char *curl;    /* for agnhost, as upstream's has it; or NULL */
	const struct strings *tags;
	int64_t time;
	const char *output;
};

/* base     the static pause, and links bin, sbin, lib, lib64 into /usr, on which a pod mounts the node's /usr
 * busybox  BusyBox and a link for each of its programs
 * agnhost  agnhost as entry point, BusyBox and curl beside it, and what upstream's Dockerfile makes */
int write_image(const struct image_wish *wish, struct err *err);

/* Is it HOST/NAME:TAG, as containerd wants it? Returns 0 or -EINVAL. */
int check_image_tag(const char *reference, struct err *err);

/* Is FILE an archive that containerd can import? Returns 0, or -EINVAL. */
int check_image_archive(const char *path, struct err *err);

#endif
