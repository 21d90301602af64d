/* The build of one image: what it was asked for, and what each act leaves for the next. */
#ifndef KEELSON_BUILD_H
#define KEELSON_BUILD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "description.h"
#include "disk/verity.h"
#include "lib/err.h"
#include "lib/kubernetes_version.h"
#include "packages/apt.h"
#include "packages/package.h"
#include "root/tree.h"

struct build {
	/* asked for */
	const char *profile, *version, *programs, *kubernetes, *busybox, *apt_conf, *out, *cache;
	const char *descriptions;      /* configs/images */
	const char *services, *kernel; /* configs/services, kernel */
	struct strings images;	       /* archives of container images to preload: FILE or NAME=FILE */
	bool locked;
	int64_t time;
	/* found and made, in the order of the acts */
	struct description description;
	struct apt apt;
	struct strings names; /* packages and tools that apt is asked for */
	struct package_set packages;
	struct strings drop; /* the description's, and its excluded modules */
	struct tree tree;
	struct kubernetes_version kubernetes_version;
	char kernel_version[128];
	char vmlinuz[PATH_MAX], config[PATH_MAX], stub[PATH_MAX], loader[PATH_MAX];
	struct verity verity;
	int lock; /* held on the folder of intermediate files */
	char work[PATH_MAX], stage[PATH_MAX];
	char root[PATH_MAX], tree_file[PATH_MAX], initramfs[PATH_MAX], uki[PATH_MAX], esp[PATH_MAX], raw[PATH_MAX],
		qcow2[PATH_MAX];
};

/* An act. Prints one line of progress when it is done. */
typedef int build_act(struct build *build, struct err *err);

build_act build_start;	  /* the description is read, the names of all files are known */
build_act build_resolve;  /* packages, and what moved since the lock */
build_act build_lock;	  /* accept what was resolved */
build_act build_download; /* packages lie in the cache, unpacked */
build_act build_merge;	  /* the tree holds the packages */
build_act build_fill;	  /* and everything that the builder adds */
build_act build_root;	  /* the root image */
build_act build_boot;	  /* verity tree, initramfs, UKI */
build_act build_disk;	  /* ESP, raw disk, qcow2 */
build_act build_sizes;	  /* the table at the end */

/* What --image says, FILE or NAME=FILE, can be taken along. Returns 0 or -EINVAL. */
int check_given_image(const char *given, struct err *err);

void build_free(struct build *build);

#endif
