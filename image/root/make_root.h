/* The root image from a staged tree: EROFS or squashfs, the same bytes for the same tree. */
#ifndef KEELSON_MAKE_ROOT_H
#define KEELSON_MAKE_ROOT_H

#include <stdint.h>

#include "description.h"
#include "digest.h"
#include "lib/err.h"
#include "root/tree.h"

struct root_image {
	const struct description *description;
	const char *stage; /* the staged tree */
	const char *stamp; /* names the file system */
	int64_t time;	   /* of every file, and of the file system */
	const char *output;
};

/* What the image depends on, as one hash: the tree with its contents, and how it is made. */
int root_stamp(const struct tree *tree, const struct description *description, int64_t time, char stamp[DIGEST_TEXT],
	       struct err *err);

/* Make it, replaced atomically; its size is a multiple of 4096. */
int make_root(const struct tree *tree, const struct root_image *image, struct err *err);

/* Run depmod over the staged modules of that kernel, and put what it wrote into the tree. */
int index_modules(struct tree *tree, const char *stage, const char *kernel, struct err *err);

/* Take out the modules that need one which is not there. left: how many there are in the end. */
int drop_modules(struct tree *tree, const char *kernel, size_t *left, size_t *dropped, struct err *err);

/* What a module says it needs: "a,b", to be freed; "" when nothing. Pure, untrusted input. Returns 0, -EBADMSG or
 * -ENOMEM. */
int module_depends(const void *data, size_t len, char **depends);

/* The kernel version whose modules are in the tree: "6.1.0-44-cloud-amd64". Returns 0, or -ENOENT when there is none,
 * -EEXIST when there is more than one. */
int find_kernel_version(const struct tree *tree, char version[128], struct err *err);

#endif
