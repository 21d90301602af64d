/* The unified kernel image: systemd's EFI stub with kernel, initramfs and command line as PE sections. */
#include "boot/write_uki.h"

#include <errno.h>
#include <string.h>

#include "boot/pe.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define STUB_MAX ((size_t)4 << 20)
#define PART_MAX ((size_t)512 << 20)
#define UKI_SECTIONS 5

/* An EFI program that the stub can start: a bzImage is both a PE file and a boot sector with "HdrS" at 0x202. */
static int check_kernel(const char *path, const struct buf *kernel, struct err *err)
{
	const uint8_t *data = (const uint8_t *)kernel->data;

	if (kernel->len < 0x400 || memcmp(data + 0x202, "HdrS", 4))
		return err_set(err, EBADMSG, "%s: expected a bzImage, found something else", path);
	if (data[0] != 'M' || data[1] != 'Z')
		return err_set(err, EBADMSG, "%s: expected a kernel with an EFI stub, found one without", path);
	return 0;
}

static void patch_headers(uint8_t *file, const struct uki_plan *plan)
{
	uint8_t *pe = file + plan->pe_offset, *optional = pe + PE_OPTIONAL;
	uint32_t data_size = get32(optional + OPTIONAL_DATA_SIZE);

	for (size_t i = 0; i < plan->count; i++) {
		uint8_t *h = file + plan->header_offset + i * SECTION_BYTES;
		const struct uki_section *s = &plan->sections[i];

		memset(h, 0, SECTION_BYTES);
		memcpy(h, s->name, strlen(s->name));
		put32(h + SECTION_VIRTUAL_SIZE, s->virtual_size);
		put32(h + SECTION_ADDRESS, s->address);
		put32(h + SECTION_RAW_SIZE, s->raw_size);
		put32(h + SECTION_OFFSET, s->offset);
		put32(h + SECTION_FLAGS, SECTION_READ_DATA);
		data_size += s->raw_size;
	}
	put16(pe + PE_SECTIONS, plan->section_count);
	put32(pe + PE_SYMBOLS, 0);
	put32(pe + PE_SYMBOLS + 4, 0);
	put32(optional + OPTIONAL_DATA_SIZE, data_size);
	put32(optional + OPTIONAL_IMAGE_SIZE, plan->image_size);
}

/* The image's checksum: 16-bit words added with their carries, the field itself taken as 0, plus the length. */
static uint32_t checksum(const uint8_t *file, size_t len, size_t field)
{
	uint32_t sum = 0;

	for (size_t i = 0; i + 1 < len; i += 2) {
		if (i == field || i == field + 2)
			continue;
		sum += get16(file + i);
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return sum + (uint32_t)len;
}

/* Put it together in memory: a few dozen MB. */
static int assemble(const struct buf *stub, const struct uki_plan *plan, const struct buf *contents[], uint8_t **file,
		    struct err *err)
{
	size_t len = (size_t)plan->file_size, field = plan->pe_offset + PE_OPTIONAL + OPTIONAL_CHECKSUM;

	*file = calloc(1, len);
	if (!*file)
		return err_set(err, ENOMEM, "%zu bytes: %s", len, strerror(ENOMEM));
	memcpy(*file, stub->data, plan->stub_bytes);
	for (size_t i = 0; i < plan->count; i++)
		memcpy(*file + plan->sections[i].offset, contents[i]->data, contents[i]->len);
	patch_headers(*file, plan);
	put32(*file + field, checksum(*file, len, field));
	return 0;
}

static int read_parts(const struct uki *uki, struct buf contents[UKI_SECTIONS], struct err *err)
{
	const char *texts[] = {uki->os_release, uki->cmdline, uki->uname};
	int r = 0;

	for (size_t i = 0; !r && i < 3; i++)
		r = buf_add_string(&contents[i], texts[i]);
	if (r < 0)
		return err_set(err, -r, "texts: %s", strerror(-r));
	r = file_read(uki->initramfs, PART_MAX, &contents[3], err);
	if (!r)
		r = file_read(uki->kernel, PART_MAX, &contents[4], err);
	if (!r)
		r = check_kernel(uki->kernel, &contents[4], err);
	return r;
}

static int make(const struct uki *uki, const struct buf *stub, struct buf contents[UKI_SECTIONS], struct err *err)
{
	static const char *const names[UKI_SECTIONS] = {".osrel", ".cmdline", ".uname", ".initrd", ".linux"};
	_cleanup_free_ uint8_t *file = NULL;
	const struct buf *given[UKI_SECTIONS];
	struct uki_part parts[UKI_SECTIONS];
	struct uki_plan plan;
	int r;

	for (size_t i = 0; i < UKI_SECTIONS; i++) {
		parts[i] = (struct uki_part){.name = names[i], .size = contents[i].len};
		given[i] = &contents[i];
	}
	r = plan_uki(stub->data, stub->len, parts, UKI_SECTIONS, &plan, err);
	if (!r)
		r = assemble(stub, &plan, given, &file, err);
	return r ? r : file_write_atomic(uki->output, file, (size_t)plan.file_size, 0644, err);
}

int write_uki(const struct uki *uki, struct err *err)
{
	_cleanup_(buf_free) struct buf stub = {.max = STUB_MAX};
	struct buf contents[UKI_SECTIONS];
	int r;

	for (size_t i = 0; i < UKI_SECTIONS; i++)
		contents[i] = (struct buf){.max = PART_MAX};
	r = file_read(uki->stub, STUB_MAX, &stub, err);
	if (!r)
		r = read_parts(uki, contents, err);
	if (!r)
		r = make(uki, &stub, contents, err);
	for (size_t i = 0; i < UKI_SECTIONS; i++)
		buf_free(&contents[i]);
	return r < 0 ? err_wrap(err, r, "unified kernel image") : 0;
}
