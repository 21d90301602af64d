/* Where the parts of a unified kernel image go, and its section table as text.
 *
 * The stub keeps its sections. New ones are put behind it, in memory as in the file; a header for each goes into the
 * gap between the stub's section table and its first section. Whatever lies behind the stub's last section (symbols)
 * is dropped. Addresses rise, since the stub warns of sections that do not, and lie on pages, since firmware sets
 * memory protection by pages.
 * Source: Microsoft's PE/COFF specification; UAPI.5.
 */
#include "boot/write_uki.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/param.h>

#include "boot/pe.h"

#define PAGE 4096u
#define PE_SIZE_MAX ((uint64_t)1 << 31) /* loaders compute with 32 bits */
#define STUB_SECTIONS_MAX 90		/* the most that Windows' loader takes, less ours */

struct stub {
	const uint8_t *data;
	size_t len;
	size_t pe, table; /* offsets of "PE\0\0" and of the section table */
	uint16_t sections;
	uint32_t file_alignment, section_alignment, headers_end;
	uint64_t memory_end, file_end; /* behind the last section */
};

static uint64_t align_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

static bool is_alignment(uint32_t value)
{
	return value >= 16 && value <= 1u << 20 && !(value & (value - 1));
}

/* The fixed headers. Everything is checked against the length before it is used. */
static int read_headers(struct stub *s, struct err *err)
{
	uint16_t optional;

	if (s->len < 64 || s->data[0] != 'M' || s->data[1] != 'Z')
		return err_set(err, EBADMSG, "expected a PE file (MZ), found something else");
	s->pe = get32(s->data + DOS_PE_OFFSET);
	if (s->pe > s->len || s->len - s->pe < PE_OPTIONAL + OPTIONAL_FIXED || memcmp(s->data + s->pe, "PE\0\0", 4))
		return err_set(err, EBADMSG, "expected PE headers at offset %zu, found none", s->pe);
	s->sections = get16(s->data + s->pe + PE_SECTIONS);
	optional = get16(s->data + s->pe + PE_OPTIONAL_SIZE);
	s->table = s->pe + PE_OPTIONAL + optional;
	if (get16(s->data + s->pe + PE_OPTIONAL) != 0x20b || optional < OPTIONAL_FIXED)
		return err_set(err, EBADMSG, "expected PE32+, found optional header 0x%x of %u bytes",
			       get16(s->data + s->pe + PE_OPTIONAL), optional);
	if (!s->sections || s->sections > STUB_SECTIONS_MAX || s->table + (size_t)s->sections * SECTION_BYTES > s->len)
		return err_set(err, EBADMSG, "%u sections do not fit a file of %zu bytes", s->sections, s->len);
	s->section_alignment = get32(s->data + s->pe + PE_OPTIONAL + OPTIONAL_SECTION_ALIGNMENT);
	s->file_alignment = get32(s->data + s->pe + PE_OPTIONAL + OPTIONAL_FILE_ALIGNMENT);
	s->headers_end = get32(s->data + s->pe + PE_OPTIONAL + OPTIONAL_HEADERS_SIZE);
	if (!is_alignment(s->section_alignment) || !is_alignment(s->file_alignment))
		return err_set(err, EBADMSG, "expected alignments that are powers of two, found 0x%x and 0x%x",
			       s->section_alignment, s->file_alignment);
	if (s->headers_end > s->len)
		return err_set(err, EBADMSG, "headers of %u bytes do not fit a file of %zu bytes", s->headers_end,
			       s->len);
	return 0;
}

static int read_sections(struct stub *s, struct err *err)
{
	s->memory_end = s->file_end = s->headers_end;
	for (uint16_t i = 0; i < s->sections; i++) {
		const uint8_t *h = s->data + s->table + (size_t)i * SECTION_BYTES;
		uint64_t memory = (uint64_t)get32(h + SECTION_ADDRESS) + get32(h + SECTION_VIRTUAL_SIZE);
		uint32_t offset = get32(h + SECTION_OFFSET), raw = get32(h + SECTION_RAW_SIZE);

		if (h[0] == '/')
			return err_set(err, EBADMSG, "section %u: its name is in a string table, which is not kept", i);
		if (memory > PE_SIZE_MAX || (uint64_t)offset + raw > s->len)
			return err_set(err, EBADMSG, "section %.8s: lies beyond the file's end", (const char *)h);
		if (raw && offset < s->headers_end)
			return err_set(err, EBADMSG, "section %.8s: lies in the headers", (const char *)h);
		s->memory_end = MAX(s->memory_end, memory);
		if (raw)
			s->file_end = MAX(s->file_end, (uint64_t)offset + raw);
	}
	return 0;
}

static int place(const struct uki_part *part, uint32_t file_alignment, uint64_t *address, uint64_t *offset,
		 struct uki_section *section, struct err *err)
{
	if (!part->size)
		return err_set(err, EBADMSG, "section %s: expected content, found none", part->name);
	if (strlen(part->name) > 8)
		return err_set(err, EINVAL, "section %s: expected a name of at most 8 bytes", part->name);
	*address = align_up(*address, PAGE);
	*offset = align_up(*offset, file_alignment);
	if (part->size > PE_SIZE_MAX || *address + part->size > PE_SIZE_MAX || *offset + part->size > PE_SIZE_MAX)
		return err_set(err, EFBIG, "section %s of %llu bytes: expected at most %llu in all", part->name,
			       (unsigned long long)part->size, (unsigned long long)PE_SIZE_MAX);
	strcpy(section->name, part->name);
	section->address = (uint32_t)*address;
	section->virtual_size = (uint32_t)part->size;
	section->offset = (uint32_t)*offset;
	section->raw_size = (uint32_t)align_up(part->size, file_alignment);
	*address += part->size;
	*offset += section->raw_size;
	return 0;
}

int plan_uki(const void *stub, size_t stub_len, const struct uki_part *parts, size_t count, struct uki_plan *plan,
	     struct err *err)
{
	struct stub s = {.data = stub, .len = stub_len};
	uint64_t address, offset;
	int r = read_headers(&s, err);

	*plan = (struct uki_plan){0};
	if (!r)
		r = read_sections(&s, err);
	if (r < 0)
		return err_wrap(err, r, "EFI stub");
	plan->pe_offset = s.pe;
	plan->header_offset = s.table + (size_t)s.sections * SECTION_BYTES;
	plan->headers_end = s.headers_end;
	if (count > UKI_PARTS_MAX || plan->header_offset + count * SECTION_BYTES > s.headers_end)
		return err_set(
			err, ENOSPC, "EFI stub: expected room for %zu section headers, found room for %zu", count,
			s.headers_end < plan->header_offset ? (size_t)0
							    : (s.headers_end - plan->header_offset) / SECTION_BYTES);
	plan->stub_bytes = (size_t)s.file_end;
	address = s.memory_end;
	offset = s.file_end;
	for (size_t i = 0; !r && i < count; i++)
		r = place(&parts[i], s.file_alignment, &address, &offset, &plan->sections[i], err);
	if (r < 0)
		return r;
	plan->count = count;
	plan->section_count = (uint16_t)(s.sections + count);
	plan->image_size = (uint32_t)align_up(address, s.section_alignment < PAGE ? PAGE : s.section_alignment);
	plan->file_size = offset;
	return 0;
}

int describe_uki(const void *file, size_t len, struct buf *text, struct err *err)
{
	struct stub s = {.data = file, .len = len};
	int r = read_headers(&s, err);

	if (r < 0)
		return r;
	r = buf_addf(text, "name      memory     bytes      file       bytes\n");
	for (uint16_t i = 0; !r && i < s.sections; i++) {
		const uint8_t *h = s.data + s.table + (size_t)i * SECTION_BYTES;

		r = buf_addf(text, "%-8.8s  %08x   %-9u  %08x   %u\n", (const char *)h, get32(h + SECTION_ADDRESS),
			     get32(h + SECTION_VIRTUAL_SIZE), get32(h + SECTION_OFFSET), get32(h + SECTION_RAW_SIZE));
	}
	if (!r)
		r = buf_addf(text, "image %u bytes in memory\n",
			     get32(s.data + s.pe + PE_OPTIONAL + OPTIONAL_IMAGE_SIZE));
	return r < 0 ? err_set(err, -r, "describe: %s", strerror(-r)) : 0;
}
