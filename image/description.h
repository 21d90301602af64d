/* An image description: what goes into an image. configs/images/README.md documents the format. */
#ifndef KEELSON_DESCRIPTION_H
#define KEELSON_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "string_list.h"

#define DESCRIPTION_MAX ((size_t)256 << 10) /* bytes of a file */
#define DESCRIPTION_DEPTH 4		    /* descriptions that extend each other */

/* A file, link or directory put into the root. Exactly one of content, source, link and directory is given. */
struct image_file {
	char *path;
	char *content; /* its text */
	char *source;  /* a file of the clone, or of the host */
	char *link;    /* the target of a symbolic link */
	bool directory;
	uint32_t mode, uid, gid;
};

struct image_user {
	char *name, *home;
	uint32_t id; /* uid and gid */
};

/* An archive of container images that a node imports at its first boot. */
struct image_preload {
	char *name; /* /usr/lib/keelson/images/NAME.tar */
	char *kind; /* base | busybox */
	struct strings tags;
};

enum root_format { ROOT_EROFS, ROOT_SQUASHFS };

struct description {
	char *suite, *kernel;
	struct strings packages; /* of the root */
	struct strings tools;	 /* packages whose files the builder needs: EFI stub and boot loader */
	struct strings provided; /* packages that apt takes for installed: a node does without them */
	struct strings drop;	 /* paths and patterns that are left out */
	struct strings replace;	 /* paths that a later package may replace */
	struct strings modules_exclude, services, busybox_links, cmdline;
	struct image_file *files;
	size_t file_count;
	struct image_user *users;
	size_t user_count;
	struct image_preload *preloads;
	size_t preload_count;
	enum root_format root_format;
	char *root_compression; /* what mkfs.erofs -z or mksquashfs -comp takes */
	uint64_t root_cluster;	/* bytes compressed together */
	uint32_t root_level;	/* 0: the program's default */
	uint64_t disk_bytes, esp_bytes, slot_bytes, verity_bytes;
};

/* Read FOLDER/NAME.yaml and what it extends. Returns 0, or -EINVAL with "FILE:LINE:COLUMN: key: expected …". */
int description_load(const char *folder, const char *name, struct description *description, struct err *err);

/* Parse one text over what DESCRIPTION holds: scalars replace, lists grow. file names it in errors. */
int description_parse(const char *file, const char *text, size_t len, struct description *description, struct err *err);

/* What a text extends: a name to be freed, or NULL. Returns 0 or -EINVAL. */
int description_extends(const char *file, const char *text, size_t len, char **extends, struct err *err);

/* What must hold when everything has been read: something of each kind that an image cannot do without. */
int description_check(const char *file, const struct description *description, struct err *err);

void description_free(struct description *description);

#endif
