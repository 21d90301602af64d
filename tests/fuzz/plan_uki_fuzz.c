/* An EFI stub: whatever its headers say, a plan keeps its promises, so that writing it cannot go out of bounds. */
#include <stdlib.h>
#include <string.h>

#include "boot/pe.h"
#include "boot/write_uki.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct uki_part parts[] = {
		{".osrel", 267}, {".cmdline", 124}, {".initrd", 962168}, {".linux", 14190528}};
	uint64_t memory = 0, file;
	struct uki_plan plan;
	struct buf text = {0};
	struct err err = {""};

	describe_uki(data, len, &text, &err);
	buf_free(&text);
	if (plan_uki(data, len, parts, 4, &plan, &err) < 0) {
		if (!err.text[0])
			abort(); /* every refusal says why */
		return 0;
	}
	file = plan.stub_bytes;
	if (plan.stub_bytes > len || plan.header_offset + plan.count * SECTION_BYTES > plan.headers_end ||
	    plan.headers_end > plan.stub_bytes || plan.pe_offset + PE_OPTIONAL + OPTIONAL_FIXED > plan.stub_bytes)
		abort();
	for (size_t i = 0; i < plan.count; i++) {
		const struct uki_section *s = &plan.sections[i];

		if (s->offset < file || s->address < memory || s->raw_size < s->virtual_size)
			abort();
		file = (uint64_t)s->offset + s->raw_size;
		memory = (uint64_t)s->address + s->virtual_size;
	}
	if (file != plan.file_size || memory > plan.image_size)
		abort();
	return 0;
}
