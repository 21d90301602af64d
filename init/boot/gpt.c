/* Read a GUID partition table.
 *
 * The table comes from a disk that anybody may have written: sizes and counts are checked against bounds before they
 * are used, nothing is allocated, and every offset lies inside the disk. Linux refuses more than it must here, so the
 * rules are its own (block/partitions/efi.c): a header of 92 bytes up to a sector, both checksums, a header that lies
 * where it says; a partition with an impossible extent is skipped.
 * Source: UEFI 2.10, sections 5.3.2 and 5.3.3.
 */
#include "boot/gpt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/little_endian.h"

#define HEADER_BYTES 92
#define ENTRY_BYTES 128
#define SECTOR_MAX 4096

uint32_t gpt_crc32(uint32_t crc, const void *data, size_t len)
{
	const uint8_t *p = data;

	crc = ~crc;
	while (len--) {
		crc ^= *p++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

/* On the disk the first three fields of a GUID are little-endian; here it is kept as its text reads. */
static void guid_from_disk(const uint8_t *from, uint8_t to[16])
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

	for (size_t i = 0; i < 16; i++)
		to[i] = from[order[i]];
}

struct header {
	uint64_t lba, first_usable, last_usable, entries;
	uint32_t count, size, entries_crc;
	uint8_t disk[16];
};

/* The checks that need no second read. sectors: of the disk; sector: bytes, `raw` holds as many. */
static int check_header(const uint8_t *raw, uint64_t lba, uint64_t sectors, uint32_t sector, struct header *header,
			struct err *err)
{
	uint8_t copy[SECTOR_MAX];
	uint32_t bytes = le32_at(raw + 12);

	if (memcmp(raw, "EFI PART", 8))
		return err_set(err, ENOENT, "no signature");
	if (bytes < HEADER_BYTES || bytes > sector)
		return err_set(err, EBADMSG, "header of %u bytes, expected %d to %u", bytes, HEADER_BYTES, sector);
	memcpy(copy, raw, bytes);
	memset(copy + 16, 0, 4);
	if (gpt_crc32(0, copy, bytes) != le32_at(raw + 16))
		return err_set(err, EBADMSG, "header checksum is wrong");
	header->lba = le64_at(raw + 24);
	header->first_usable = le64_at(raw + 40);
	header->last_usable = le64_at(raw + 48);
	guid_from_disk(raw + 56, header->disk);
	header->entries = le64_at(raw + 72);
	header->count = le32_at(raw + 80);
	header->size = le32_at(raw + 84);
	header->entries_crc = le32_at(raw + 88);
	if (header->lba != lba)
		return err_set(err, EBADMSG, "header says it lies in sector %llu, found in %llu",
			       (unsigned long long)header->lba, (unsigned long long)lba);
	if (header->first_usable > header->last_usable || header->last_usable >= sectors)
		return err_set(err, EBADMSG, "last usable sector %llu, the disk has %llu",
			       (unsigned long long)header->last_usable, (unsigned long long)sectors);
	return 0;
}

static int check_entries(const struct header *h, uint64_t sectors, uint32_t sector, struct err *err)
{
	uint64_t bytes, blocks;

	if (!h->count || h->count > GPT_ENTRIES_MAX)
		return err_set(err, EBADMSG, "%u entries, expected 1 to %d", h->count, GPT_ENTRIES_MAX);
	if (h->size < ENTRY_BYTES || h->size > GPT_ENTRY_SIZE_MAX || h->size % 8)
		return err_set(err, EBADMSG, "entries of %u bytes, expected %d to %d", h->size, ENTRY_BYTES,
			       GPT_ENTRY_SIZE_MAX);
	bytes = (uint64_t)h->count * h->size;
	blocks = (bytes + sector - 1) / sector;
	if (h->entries < 2 || h->entries >= sectors || blocks > sectors - h->entries)
		return err_set(err, EBADMSG, "entries in sector %llu, outside of the disk",
			       (unsigned long long)h->entries);
	return 0;
}

static size_t utf8(uint32_t c, char *to)
{
	if (c < 0x20 || c == 0x7f || (c >= 0xd800 && c < 0xe000))
		c = '?';
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | c >> 12);
	to[1] = (char)(0x80 | (c >> 6 & 0x3f));
	to[2] = (char)(0x80 | (c & 0x3f));
	return 3;
}

static void take_name(const uint8_t *raw, char name[GPT_NAME_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < 36; i++) {
		uint32_t c = (uint32_t)raw[2 * i] | (uint32_t)raw[2 * i + 1] << 8;

		if (!c)
			break;
		len += utf8(c, name + len);
	}
	name[len] = 0;
}

static int take_entry(const uint8_t *raw, uint32_t number, const struct header *h, struct gpt *gpt, struct err *err)
{
	static const uint8_t unused[16];
	uint64_t first = le64_at(raw + 32), last = le64_at(raw + 40);
	struct gpt_partition *p;

	if (!memcmp(raw, unused, 16) || first > last || first < h->first_usable || last > h->last_usable)
		return 0;
	if (gpt->count == GPT_PARTITIONS_MAX)
		return err_set(err, E2BIG, "more than %d partitions", GPT_PARTITIONS_MAX);
	p = &gpt->partitions[gpt->count++];
	p->number = number;
	guid_from_disk(raw, p->type);
	guid_from_disk(raw + 16, p->uuid);
	p->first = first;
	p->last = last;
	p->attributes = le64_at(raw + 48);
	take_name(raw + 56, p->name);
	return 0;
}

/* Entry by entry; what was taken counts only when the checksum over all of them is right. */
static int read_entries(const struct gpt_source *source, const struct header *h, struct gpt *gpt, struct err *err)
{
	uint64_t at = h->entries * source->sector;
	uint8_t raw[GPT_ENTRY_SIZE_MAX];
	uint32_t crc = 0;
	int full = 0;

	gpt->count = 0;
	for (uint32_t i = 0; i < h->count; i++, at += h->size) {
		int r = source->read(source->context, at, raw, h->size);

		if (r < 0)
			return err_set(err, -r, "reading entries: %s", strerror(-r));
		crc = gpt_crc32(crc, raw, h->size);
		if (!full)
			full = take_entry(raw, i + 1, h, gpt, err);
	}
	if (crc != h->entries_crc)
		return err_set(err, EBADMSG, "checksum of the entries is wrong");
	return full;
}

static int read_table(const struct gpt_source *source, uint64_t lba, struct gpt *gpt, struct err *err)
{
	uint64_t sectors = source->bytes / source->sector;
	uint8_t raw[SECTOR_MAX];
	struct header header;
	int r = source->read(source->context, lba * source->sector, raw, source->sector);

	if (r < 0)
		return err_set(err, -r, "reading sector %llu: %s", (unsigned long long)lba, strerror(-r));
	r = check_header(raw, lba, sectors, source->sector, &header, err);
	if (!r)
		r = check_entries(&header, sectors, source->sector, err);
	if (!r)
		r = read_entries(source, &header, gpt, err);
	if (!r) {
		memcpy(gpt->disk, header.disk, sizeof gpt->disk);
		gpt->sector = source->sector;
	}
	return r;
}

int gpt_read(const struct gpt_source *source, struct gpt *gpt, struct err *err)
{
	struct err primary = {""}, backup = {""};
	uint64_t sectors;
	int first, second;

	memset(gpt, 0, sizeof *gpt);
	if (source->sector < 512 || source->sector > SECTOR_MAX || source->sector & (source->sector - 1))
		return err_set(err, EINVAL, "sector of %u bytes, expected 512 to %d", source->sector, SECTOR_MAX);
	sectors = source->bytes / source->sector;
	if (sectors < 6)
		return err_set(err, ENOENT, "a disk of %llu sectors has no room for a partition table",
			       (unsigned long long)sectors);
	first = read_table(source, 1, gpt, &primary);
	if (!first || first == -E2BIG)
		return first ? err_set(err, E2BIG, "partition table: %s", primary.text) : 0;
	second = read_table(source, sectors - 1, gpt, &backup);
	if (second) {
		gpt->count = 0;
		if (first == -ENOENT && second == -ENOENT)
			return err_set(err, ENOENT, "no GUID partition table");
		return err_set(err, first == -ENOENT ? -second : -first, "partition table: primary: %s; backup: %s",
			       primary.text, backup.text);
	}
	gpt->from_backup = true;
	snprintf(gpt->damage, sizeof gpt->damage, "%.100s", primary.text);
	return 0;
}

const struct gpt_partition *gpt_find(const struct gpt *gpt, const uint8_t uuid[16])
{
	for (size_t i = 0; i < gpt->count; i++)
		if (!memcmp(gpt->partitions[i].uuid, uuid, 16))
			return &gpt->partitions[i];
	return NULL;
}
