/* What a kernel module says of itself: its .modinfo section.
 *
 * modprobe needs tables that depmod makes; the modules of the initramfs are few enough to be asked themselves.
 * Source: ELF-64 object file format; kernel include/linux/moduleparam.h (__MODULE_INFO), scripts/mod/file2alias.c.
 */
#include "boot/module_info.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

static bool inside(uint64_t offset, uint64_t size, size_t len)
{
	return size <= len && offset <= len - size;
}

static bool read_section(const uint8_t *file, size_t len, const Elf64_Ehdr *head, unsigned index, Elf64_Shdr *section)
{
	uint64_t offset = head->e_shoff + (uint64_t)index * sizeof *section;

	if (!inside(head->e_shoff, (uint64_t)head->e_shnum * sizeof *section, len))
		return false;
	memcpy(section, file + offset, sizeof *section);
	return inside(section->sh_offset, section->sh_size, len);
}

int module_info_find(const uint8_t *file, size_t len, struct module_info *info)
{
	static const char wanted[] = ".modinfo";
	Elf64_Shdr names, section;
	Elf64_Ehdr head;

	*info = (struct module_info){NULL, 0};
	if (len < sizeof head)
		return -EBADMSG;
	memcpy(&head, file, sizeof head);
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_shentsize != sizeof section || head.e_shstrndx >= head.e_shnum ||
	    !read_section(file, len, &head, head.e_shstrndx, &names))
		return -EBADMSG;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		if (!read_section(file, len, &head, i, &section) ||
		    !inside(section.sh_name, sizeof wanted, names.sh_size) || !section.sh_size)
			continue;
		if (memcmp(file + names.sh_offset + section.sh_name, wanted, sizeof wanted))
			continue;
		if (file[section.sh_offset + section.sh_size - 1])
			return -EBADMSG;
		*info = (struct module_info){(const char *)file + section.sh_offset, section.sh_size};
		return 0;
	}
	return -EBADMSG;
}

const char *module_info_next(const struct module_info *info, const char *key, const char *at)
{
	const char *end = info->text ? info->text + info->len : NULL;
	size_t key_len = strlen(key);

	for (at = at ? at + strlen(at) + 1 : info->text; at < end; at += strlen(at) + 1)
		if (!strncmp(at, key, key_len))
			return at + key_len;
	return NULL;
}

bool module_names_equal(const char *a, const char *b, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char x = a[i] == '-' ? '_' : a[i], y = b[i] == '-' ? '_' : b[i];

		if (x != y || !x)
			return false;
	}
	return true;
}

bool module_info_depends(const struct module_info *info, const char *name)
{
	const char *at = module_info_next(info, "depends=", NULL);

	while (at && *at) {
		size_t len = strcspn(at, ",");

		if (strlen(name) == len && module_names_equal(at, name, len))
			return true;
		at += len + (at[len] == ',');
	}
	return false;
}
