/* The EFI system partition: FAT32 with systemd-boot and one UKI. Same input, same bytes. */
#ifndef KEELSON_WRITE_ESP_H
#define KEELSON_WRITE_ESP_H

#include <stdint.h>

#include "lib/err.h"

struct esp {
	const char *version;	  /* names EFI/Linux/keelson_VERSION.efi */
	const char *systemd_boot; /* …/usr/lib/systemd/boot/efi/systemd-bootx64.efi */
	const char *uki;
	uint64_t bytes;	    /* size of the partition */
	int64_t time;	    /* of every file, seconds since 1970; FAT begins at 1980 */
	const char *output; /* replaced atomically; sparse */
};

/* Returns 0, -ENOSPC (what goes in is larger than the partition; both sizes are named), other negative errno. */
int write_esp(const struct esp *esp, struct err *err);

#endif
