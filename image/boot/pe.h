/* Offsets in a PE32+ file, and little-endian numbers in it. Source: Microsoft's PE/COFF specification. */
#ifndef KEELSON_PE_H
#define KEELSON_PE_H

#include <stdint.h>

#define DOS_PE_OFFSET 0x3c /* where "PE\0\0" is */

/* from "PE\0\0" on */
#define PE_SECTIONS 6
#define PE_SYMBOLS 12 /* offset of the symbol table, then their number */
#define PE_OPTIONAL_SIZE 20
#define PE_OPTIONAL 24

/* from the optional header on */
#define OPTIONAL_DATA_SIZE 8
#define OPTIONAL_SECTION_ALIGNMENT 32
#define OPTIONAL_FILE_ALIGNMENT 36
#define OPTIONAL_IMAGE_SIZE 56
#define OPTIONAL_HEADERS_SIZE 60
#define OPTIONAL_CHECKSUM 64
#define OPTIONAL_FIXED 112 /* the data directories follow */

/* in a section's header */
#define SECTION_BYTES 40
#define SECTION_VIRTUAL_SIZE 8
#define SECTION_ADDRESS 12
#define SECTION_RAW_SIZE 16
#define SECTION_OFFSET 20
#define SECTION_FLAGS 36
#define SECTION_READ_DATA 0x40000040u /* initialised data, readable */

static inline uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) | (uint32_t)get16(p + 2) << 16;
}

static inline void put16(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)value;
	p[1] = (uint8_t)(value >> 8);
}

static inline void put32(uint8_t *p, uint32_t value)
{
	put16(p, (uint16_t)value);
	put16(p + 2, (uint16_t)(value >> 16));
}

#endif
