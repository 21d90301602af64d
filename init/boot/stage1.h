/* Stage 1: in the initramfs. From the kernel's first instruction of init to exec of init on the verified root. */
#ifndef KEELSON_STAGE1_H
#define KEELSON_STAGE1_H

#include <stdbool.h>

#include "boot/choose_root.h"
#include "boot/cmdline.h"
#include "boot/modules.h"

#define SYSROOT "/sysroot"
#define BOOT_ENV_PATH "/run/keelson/boot.env"
#define STAGE2_PROGRAM "/usr/lib/keelson/init"

/* Whether / is the kernel's initramfs. */
bool in_initramfs(void);

/* Descriptors 0, 1 and 2 on /dev/null, whatever the kernel could open. */
void open_standard_descriptors(void);

/* Verify and mount the root on SYSROOT, read-only. */
int mount_root(const struct cmdline *cmdline, struct modules *modules, const struct root_candidate *root,
	       struct err *err);

/* Write where the root was found for the steps of stage 2: BOOT_ENV_PATH, an environment file. */
int write_boot_env(const struct cmdline *cmdline, const struct root_candidate *root, struct err *err);

/* Move the mounts of stage 1 to SYSROOT, free the initramfs, and execute init there. Returns only when it failed. */
int switch_root(struct err *err);

_Noreturn void stage1(void);

#endif
