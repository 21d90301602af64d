/* The name that a shared library goes by: DT_SONAME of an ELF file. Source: elf(5). */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "root/ld_cache.h"

struct elf {
	const unsigned char *data;
	size_t len;
	Elf64_Ehdr header;
};

static bool take(const struct elf *elf, uint64_t offset, void *into, size_t size)
{
	if (offset > elf->len || size > elf->len - offset)
		return false;
	memcpy(into, elf->data + offset, size);
	return true;
}

static bool take_segment(const struct elf *elf, unsigned i, Elf64_Phdr *segment)
{
	return take(elf, elf->header.e_phoff + (uint64_t)i * sizeof *segment, segment, sizeof *segment);
}

/* Where in the file an address lies. Returns 0 or -EBADMSG. */
static int file_offset(const struct elf *elf, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < elf->header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (!take_segment(elf, i, &segment))
			return -EBADMSG;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
			continue;
		*offset = segment.p_offset + (address - segment.p_vaddr);
		return 0;
	}
	return -EBADMSG;
}

static int take_name(const struct elf *elf, uint64_t strings, uint64_t name, char soname[SONAME_MAX])
{
	uint64_t offset;
	size_t most;
	const unsigned char *end;

	if (file_offset(elf, strings, &offset) < 0 || offset > elf->len || name >= elf->len - offset)
		return -EBADMSG;
	offset += name;
	most = elf->len - offset < SONAME_MAX ? elf->len - offset : SONAME_MAX;
	end = memchr(elf->data + offset, 0, most);
	if (!end || end == elf->data + offset)
		return -EBADMSG;
	memcpy(soname, elf->data + offset, (size_t)(end - (elf->data + offset)) + 1);
	return 0;
}

static int read_dynamic(const struct elf *elf, const Elf64_Phdr *segment, char soname[SONAME_MAX])
{
	uint64_t strings = 0, name = 0;
	bool has_strings = false, has_name = false;

	for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_filesz; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		if (!take(elf, segment->p_offset + at, &entry, sizeof entry))
			return -EBADMSG;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_STRTAB) {
			strings = entry.d_un.d_ptr;
			has_strings = true;
		} else if (entry.d_tag == DT_SONAME) {
			name = entry.d_un.d_val;
			has_name = true;
		}
	}
	if (!has_name)
		return -ENOENT;
	return has_strings ? take_name(elf, strings, name, soname) : -EBADMSG;
}

int elf_soname(const void *data, size_t len, char soname[SONAME_MAX])
{
	struct elf elf = {.data = data, .len = len};

	if (!take(&elf, 0, &elf.header, sizeof elf.header) || memcmp(elf.header.e_ident, ELFMAG, SELFMAG) ||
	    elf.header.e_ident[EI_CLASS] != ELFCLASS64 || elf.header.e_machine != EM_X86_64 || elf.header.e_type != ET_DYN)
		return -ENOENT;
	if (elf.header.e_phentsize != sizeof(Elf64_Phdr))
		return -EBADMSG;
	for (unsigned i = 0; i < elf.header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (!take_segment(&elf, i, &segment))
			return -EBADMSG;
		if (segment.p_type == PT_DYNAMIC)
			return read_dynamic(&elf, &segment, soname);
	}
	return -ENOENT;
}
