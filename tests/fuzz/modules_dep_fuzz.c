/* A kernel's modules.dep: names, modules.dep and modules.builtin, each divided from the next by an empty line. */
#include "fuzz.h"

#include "boot/select_modules.h"

static char *cut(char *text)
{
	char *gap = text ? strstr(text, "\n\n") : NULL;

	if (!gap)
		return NULL;
	gap[1] = 0;
	return gap + 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *names = fuzz_string(data, len), *dep = cut(names), *builtin = cut(dep);
	struct module_list list;
	struct err err = {""};

	if (builtin && select_modules(names, dep, builtin, &list, &err) < 0)
		PROMISE(err.text[0]);
	for (size_t i = 0; builtin && i < list.count; i++) {
		PROMISE(list.paths[i][0] && !strchr(list.paths[i], '\n'));
		for (size_t j = 0; j < i; j++)
			PROMISE(strcmp(list.paths[i], list.paths[j]));
	}
	if (builtin)
		module_list_free(&list);
	free(names);
	return 0;
}
