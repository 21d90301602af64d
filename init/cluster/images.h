/* Preloaded images: archives in /usr/lib/keelson/images, imported once, put back when something took them. */
#ifndef KEELSON_CLUSTER_IMAGES_H
#define KEELSON_CLUSTER_IMAGES_H

#include <stdbool.h>

#include "cluster/protobuf.h"
#include "config/node_config.h"
#include "lib/err.h"

#define IMAGE_ARCHIVES "/usr/lib/keelson/images"
#define IMAGE_MARKS "/var/lib/keelson/images"

/* What an archive holds, read from its index without reading its layers. */
struct image_archive {
	char id[65];		  /* SHA-256 of its manifest.json or index.json: names every blob by digest */
	struct string_list names; /* docker.io/keelson/base:latest */
};

/* Read a docker archive (manifest.json) or an OCI layout (index.json with image names). */
int image_archive_read(const char *path, struct image_archive *archive, struct err *err);
void image_archive_free(struct image_archive *archive);

/* The names in the text of a manifest.json or index.json. Pure. */
int image_names_of_manifest(const char *json, struct string_list *names, struct err *err);
int image_names_of_index(const char *json, struct string_list *names, struct err *err);

/* "busybox" -> "docker.io/library/busybox:latest", as containerd names it. Pure. */
void image_full_name(const char *name, char *text, size_t size);

/* Does a ListImagesResponse hold this name? Pure. */
bool image_is_listed(struct protobuf response, const char *name);

#endif
