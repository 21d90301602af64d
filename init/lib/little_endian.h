/* Little-endian numbers as disks hold them, wherever they lie in memory. */
#ifndef KEELSON_LITTLE_ENDIAN_H
#define KEELSON_LITTLE_ENDIAN_H

#include <stdint.h>

static inline uint16_t le16_at(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le32_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t le64_at(const uint8_t *p)
{
	return (uint64_t)le32_at(p) | (uint64_t)le32_at(p + 4) << 32;
}

#endif
