/* A small EFI stub made up for tests: the headers of a PE32+ program, two sections, and room for some more headers. */
#ifndef KEELSON_TEST_STUB_H
#define KEELSON_TEST_STUB_H

#include <stdint.h>
#include <string.h>

#include "boot/pe.h"

#define STUB_BYTES 0x900
#define STUB_PE 0x80
#define STUB_OPTIONAL (STUB_PE + PE_OPTIONAL)
#define STUB_TABLE (STUB_OPTIONAL + 240)

static inline void stub_section(uint8_t *stub, unsigned number, const char *name, uint32_t address, uint32_t size,
				uint32_t offset, uint32_t raw)
{
	uint8_t *h = stub + STUB_TABLE + number * SECTION_BYTES;

	memcpy(h, name, strlen(name));
	put32(h + SECTION_VIRTUAL_SIZE, size);
	put32(h + SECTION_ADDRESS, address);
	put32(h + SECTION_RAW_SIZE, raw);
	put32(h + SECTION_OFFSET, offset);
}

/* Sections .text and .sbat, then 0x100 bytes of symbols that nobody needs. */
static inline void make_stub(uint8_t stub[STUB_BYTES])
{
	memset(stub, 0, STUB_BYTES);
	memcpy(stub, "MZ", 2);
	put32(stub + DOS_PE_OFFSET, STUB_PE);
	memcpy(stub + STUB_PE, "PE\0\0", 4);
	put16(stub + STUB_PE + 4, 0x8664); /* x86-64 */
	put16(stub + STUB_PE + PE_SECTIONS, 2);
	put32(stub + STUB_PE + PE_SYMBOLS, 0x800);
	put32(stub + STUB_PE + PE_SYMBOLS + 4, 9);
	put16(stub + STUB_PE + PE_OPTIONAL_SIZE, 240);
	put16(stub + STUB_PE + 22, 0x206);	/* executable */
	put16(stub + STUB_OPTIONAL + 68, 0x0a); /* EFI application */
	put32(stub + STUB_OPTIONAL + 108, 16);	/* data directories */
	put16(stub + STUB_OPTIONAL, 0x20b);
	put32(stub + STUB_OPTIONAL + OPTIONAL_SECTION_ALIGNMENT, 0x200);
	put32(stub + STUB_OPTIONAL + OPTIONAL_FILE_ALIGNMENT, 0x200);
	put32(stub + STUB_OPTIONAL + OPTIONAL_IMAGE_SIZE, 0x5200);
	put32(stub + STUB_OPTIONAL + OPTIONAL_HEADERS_SIZE, 0x400);
	stub_section(stub, 0, ".text", 0x4000, 0x123, 0x400, 0x200);
	stub_section(stub, 1, ".sbat", 0x5000, 0xe2, 0x600, 0x200);
	memset(stub + 0x400, 0xcc, 0x123);
	memset(stub + 0x800, 0xee, 0x100);
}

#endif
