/* A container image as `docker save` writes it: one layer, one configuration, a manifest with its tags.
 *
 * containerd (ctr images import) and docker read it. The same tree and tags give the same bytes.
 */
#ifndef KEELSON_DOCKER_ARCHIVE_H
#define KEELSON_DOCKER_ARCHIVE_H

#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "root/tree.h"
#include "string_list.h"

struct container_image {
	const struct tree *tree;
	const struct strings *tags;				  /* "docker.io/library/busybox:latest" */
	const struct strings *entrypoint, *command, *environment; /* NULL: none */
	int64_t time;
};

/* The image's configuration as JSON. diff_id: SHA-256 of the layer. Pure. Returns 0 or -ENOMEM. */
int render_image_config(const struct container_image *image, const char *diff_id, struct buf *json);

/* manifest.json. Pure. Returns 0 or -ENOMEM. */
int render_image_manifest(const struct container_image *image, const char *config, const char *layer, struct buf *json);

/* Write it to OUTPUT, replaced atomically; the layer is written beside it first, and removed. */
int write_docker_archive(const struct container_image *image, const char *output, struct err *err);

#endif
