/* Whether a kernel can run a node: its .config against kernel/required.config. */
#ifndef KEELSON_CHECK_KERNEL_CONFIG_H
#define KEELSON_CHECK_KERNEL_CONFIG_H

#include "lib/buf.h"
#include "lib/err.h"

/* Pure.
 *
 * required  text of kernel/required.config: `CONFIG_NAME=y|m|ym|n  why` a line; m is met by y as well, y by y alone,
 *           n by "is not set" or absence
 * config    text of /boot/config-VERSION
 * misses    one line for each miss: "CONFIG_DM_VERITY: expected y or m, found n (the root is verified)"
 * returns   0 all met, 1 something missed, -EINVAL a line of required or config cannot be read
 */
int check_kernel_config(const char *required, const char *config, struct buf *misses, struct err *err);

/* The same with files; -ENOTSUP when something is missed, and err names every miss. */
int check_kernel_config_file(const char *required_path, const char *config_path, struct err *err);

#endif
