/* The names in a shared library or program: its own (DT_SONAME), and those of the libraries it needs (DT_NEEDED).
 * Source: elf(5). */
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
	uint64_t offset = (uint64_t)i * sizeof *segment;

	return elf->header.e_phoff <= elf->len && take(elf, elf->header.e_phoff + offset, segment, sizeof *segment);
}

/* Where in the file an address lies. Returns 0 or -EBADMSG. */
static int file_offset(const struct elf *elf, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < elf->header.e_phnum; i++) {
		Elf64_Phdr segment;

		if (!take_segment(elf, i, &segment))
			return -EBADMSG;
		if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
		    address - segment.p_vaddr >= segment.p_filesz)
			continue;
		if (segment.p_offset > elf->len)
			return -EBADMSG;
		*offset = segment.p_offset + (address - segment.p_vaddr);
		return 0;
	}
	return -EBADMSG;
}

static int take_name(const struct elf *elf, uint64_t strings, uint64_t name, char text[SONAME_MAX])
{
	const unsigned char *start, *end;
	size_t most;

	if (strings >= elf->len || name >= elf->len - strings)
		return -EBADMSG;
	start = elf->data + strings + name;
	most = elf->len - strings - name;
	end = memchr(start, 0, most < SONAME_MAX ? most : SONAME_MAX);
	if (!end || end == start)
		return -EBADMSG;
	memcpy(text, start, (size_t)(end - start) + 1);
	return 0;
}

/* Call use for each entry of the dynamic section until it returns something else than 0. */
static int each_entry(const struct elf *elf, const Elf64_Phdr *segment,
		      int (*use)(const struct elf *elf, const Elf64_Dyn *entry, void *data), void *data)
{
	int r = 0;

	if (segment->p_offset > elf->len || segment->p_filesz > elf->len - segment->p_offset)
		return -EBADMSG;
	for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment->p_filesz && !r; at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		if (!take(elf, segment->p_offset + at, &entry, sizeof entry))
			return -EBADMSG;
		if (entry.d_tag == DT_NULL)
			return 0;
		r = use(elf, &entry, data);
	}
	return r;
}

struct reading {
	uint64_t strings; /* where the names lie in the file */
	bool found;
	struct elf_names *names;
};

static int find_strings(const struct elf *elf, const Elf64_Dyn *entry, void *data)
{
	struct reading *reading = data;

	if (entry->d_tag != DT_STRTAB)
		return 0;
	reading->found = true;
	return file_offset(elf, entry->d_un.d_ptr, &reading->strings);
}

static int take_entry(const struct elf *elf, const Elf64_Dyn *entry, void *data)
{
	struct reading *reading = data;
	char text[SONAME_MAX];
	int r;

	if (entry->d_tag != DT_SONAME && entry->d_tag != DT_NEEDED)
		return 0;
	if (!reading->found)
		return -EBADMSG;
	r = take_name(elf, reading->strings, entry->d_un.d_val, text);
	if (r < 0)
		return r;
	if (entry->d_tag == DT_NEEDED)
		return buf_add(&reading->names->needed, text, strlen(text) + 1);
	memcpy(reading->names->soname, text, sizeof text);
	return 0;
}

int elf_read_names(const void *data, size_t len, struct elf_names *names)
{
	struct elf elf = {.data = data, .len = len};
	struct reading reading = {.names = names};
	Elf64_Phdr segment;
	int r;

	names->soname[0] = 0;
	if (!take(&elf, 0, &elf.header, sizeof elf.header) || memcmp(elf.header.e_ident, ELFMAG, SELFMAG) ||
	    elf.header.e_ident[EI_CLASS] != ELFCLASS64 || elf.header.e_machine != EM_X86_64 ||
	    (elf.header.e_type != ET_DYN && elf.header.e_type != ET_EXEC))
		return -ENOENT;
	if (elf.header.e_phentsize != sizeof(Elf64_Phdr))
		return -EBADMSG;
	for (unsigned i = 0; i < elf.header.e_phnum; i++) {
		if (!take_segment(&elf, i, &segment))
			return -EBADMSG;
		if (segment.p_type != PT_DYNAMIC)
			continue;
		r = each_entry(&elf, &segment, find_strings, &reading);
		return r < 0 ? r : each_entry(&elf, &segment, take_entry, &reading);
	}
	return -ENOENT;
}

int elf_soname(const void *data, size_t len, char soname[SONAME_MAX])
{
	struct elf_names names = {.soname = ""};
	int r = elf_read_names(data, len, &names);

	buf_free(&names.needed);
	if (r < 0)
		return r;
	memcpy(soname, names.soname, SONAME_MAX);
	return names.soname[0] ? 0 : -ENOENT;
}
