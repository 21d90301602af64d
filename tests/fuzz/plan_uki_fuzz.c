/* An EFI stub: whatever its headers say, a plan keeps its promises, so that writing it cannot go out of bounds. */
#include "fuzz.h"

#include "boot/pe.h"
#include "boot/write_uki.h"

static void check(const struct uki_plan *plan, size_t len)
{
	uint64_t memory = 0, file = plan->stub_bytes;

	PROMISE(plan->stub_bytes <= len && plan->headers_end <= plan->stub_bytes);
	PROMISE(plan->header_offset + plan->count * SECTION_BYTES <= plan->headers_end);
	PROMISE(plan->pe_offset + PE_OPTIONAL + OPTIONAL_FIXED <= plan->stub_bytes);
	for (size_t i = 0; i < plan->count; i++) {
		const struct uki_section *s = &plan->sections[i];

		PROMISE(s->offset >= file && s->address >= memory && s->raw_size >= s->virtual_size);
		file = (uint64_t)s->offset + s->raw_size;
		memory = (uint64_t)s->address + s->virtual_size;
	}
	PROMISE(file == plan->file_size && memory <= plan->image_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const struct uki_part parts[] = {
		{".osrel", 267}, {".cmdline", 124}, {".initrd", 962168}, {".linux", 14190528}};
	struct uki_plan plan;
	struct buf text = {0};
	struct err err = {""};

	describe_uki(data, len, &text, &err);
	buf_free(&text);
	err.text[0] = 0;
	if (plan_uki(data, len, parts, 4, &plan, &err) < 0)
		PROMISE(err.text[0]);
	else
		check(&plan, len);
	return 0;
}
