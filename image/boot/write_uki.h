/* The unified kernel image: systemd's EFI stub with kernel, initramfs and command line as PE sections.
 *
 * Sources: UAPI.5 (unified kernel image), Microsoft's PE/COFF specification.
 */
#ifndef KEELSON_WRITE_UKI_H
#define KEELSON_WRITE_UKI_H

#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/err.h"

#define UKI_PARTS_MAX 8

/* A section to append. */
struct uki_part {
	const char *name; /* ".linux"; at most 8 bytes */
	uint64_t size;	  /* bytes of content */
};

struct uki_section {
	char name[9];
	uint32_t virtual_size, address; /* in memory */
	uint32_t raw_size, offset;	/* in the file */
};

struct uki_plan {
	struct uki_section sections[UKI_PARTS_MAX]; /* the appended ones, in order */
	size_t count;
	size_t header_offset;	/* where the first new section header goes */
	size_t pe_offset;	/* of "PE\0\0" in the stub */
	size_t stub_bytes;	/* of the stub that are kept */
	uint16_t section_count; /* of the result */
	uint32_t headers_end;	/* no header may lie beyond this */
	uint32_t image_size;	/* SizeOfImage of the result */
	uint64_t file_size;
};

/* Where the parts go. Pure; STUB is untrusted.
 * Returns 0, -EBADMSG (the stub is no PE32+ EFI program, or contradicts itself), -ENOSPC (no room for the section
 * headers) or -EFBIG (the result is beyond what PE can address). */
int plan_uki(const void *stub, size_t stub_len, const struct uki_part *parts, size_t count, struct uki_plan *plan,
	     struct err *err);

struct uki {
	const char *stub;			  /* …/usr/lib/systemd/boot/efi/linuxx64.efi.stub */
	const char *kernel;			  /* …/boot/vmlinuz-VERSION */
	const char *initramfs;			  /* as write_initramfs made it */
	const char *os_release, *cmdline, *uname; /* texts; uname is the kernel's VERSION */
	const char *output;			  /* replaced atomically */
};

/* Sections .osrel .cmdline .uname .initrd .linux (the last, since it is the largest and the one that grows). */
int write_uki(const struct uki *uki, struct err *err);

/* The section table of a PE file as text, one line a section (for golden files and the build's log). LEN bytes of FILE
 * have to hold the headers only. Untrusted input. */
int describe_uki(const void *file, size_t len, struct buf *text, struct err *err);

#endif
