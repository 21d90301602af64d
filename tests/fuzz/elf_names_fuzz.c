/* A program or library of a Debian package: the libraries it names. */
#include "fuzz.h"

#include "root/ld_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct elf_names names = {.soname = ""};
	char soname[SONAME_MAX];

	elf_read_names(data, len, &names);
	PROMISE(memchr(names.soname, 0, sizeof names.soname));
	for (const char *at = names.needed.data; at && at < names.needed.data + names.needed.len; at += strlen(at) + 1)
		PROMISE(*at && strlen(at) < SONAME_MAX);
	buf_free(&names.needed);
	if (!elf_soname(data, len, soname))
		PROMISE(*soname && strlen(soname) < SONAME_MAX);
	return 0;
}
