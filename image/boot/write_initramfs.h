/* The initramfs: init and the modules it needs to reach the root. Same input, same bytes.
 *
 * Content: /init, /dev/console, and the empty directories dev, proc, run, sys and sysroot; /modules/NNN-NAME.ko, always
 * uncompressed, numbered in load order; /modules/list, the same files as absolute paths, one a line, in load order.
 */
#ifndef KEELSON_WRITE_INITRAMFS_H
#define KEELSON_WRITE_INITRAMFS_H

#include <stdint.h>

#include "boot/select_modules.h"
#include "lib/err.h"

struct initramfs {
	const char *init;	       /* program that becomes /init */
	const char *modules_directory; /* …/usr/lib/modules/VERSION */
	const struct module_list *modules;
	int64_t time;	    /* mtime of every entry, seconds since 1970 */
	const char *output; /* replaced atomically; a zstd compressed cpio (newc) */
};

int write_initramfs(const struct initramfs *initramfs, struct err *err);

#endif
