/* The kernel command line, as far as PID 1 reads it. */
#ifndef KEELSON_BOOT_CMDLINE_H
#define KEELSON_BOOT_CMDLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"

#define CMDLINE_MAX 4096 /* the kernel's own COMMAND_LINE_SIZE on x86 is 2048 */

struct cmdline {
	bool has_root;	       /* roothash= was given */
	uint8_t root_hash[32]; /* roothash=64 hex digits: which root this kernel may boot */
	bool has_esp;	       /* keelson.esp= was given */
	uint8_t esp[16];       /* keelson.esp=PARTUUID: the boot loader's own partition (GRUB passes it on BIOS) */
	bool panic_halt;       /* keelson.panic=halt: stay on the message instead of restarting */
	unsigned wait_seconds; /* keelson.wait=1..600: how long to wait for the disk, 30 by default */
};

/* Returns 0, or -EINVAL for a value of one of our keys that cannot be meant. Other keys are the kernel's. Pure. */
int parse_cmdline(const char *text, struct cmdline *cmdline, struct err *err);

/* Read and parse /proc/cmdline. */
int read_cmdline(struct cmdline *cmdline, struct err *err);

#endif
