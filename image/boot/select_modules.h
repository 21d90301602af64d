/* Which kernel modules the initramfs holds, and in which order they are loaded. */
#ifndef KEELSON_SELECT_MODULES_H
#define KEELSON_SELECT_MODULES_H

#include <stddef.h>

#include "lib/err.h"

struct module_list {
	char **paths; /* relative to the modules directory: "kernel/drivers/nvme/host/nvme.ko", in load order */
	size_t count;
};

/* Resolve names to files with all they depend on, dependencies first, each once. Pure.
 *
 * names    text of kernel/initramfs.modules: a module a line, `name` or `name optional`, # starts a comment
 * dep      text of modules.dep
 * builtin  text of modules.builtin; what is built in needs no file and is left out
 * list     filled in; free with module_list_free
 * returns  0, or -ENOENT naming every module that is neither a file nor built in nor optional
 */
int select_modules(const char *names, const char *dep, const char *builtin, struct module_list *list, struct err *err);

/* The same with the files: DIRECTORY is …/usr/lib/modules/VERSION, with modules.dep and modules.builtin in it. */
int select_modules_in(const char *names_path, const char *directory, struct module_list *list, struct err *err);

void module_list_free(struct module_list *list);

#endif
