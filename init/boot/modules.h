/* The modules of the initramfs: those that this machine needs are loaded, and no others. */
#ifndef KEELSON_MODULES_H
#define KEELSON_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "boot/module_info.h"

#define MODULES_MAX 160
#define MODULE_LIST_MAX 16384

/* When a module is loaded. */
enum module_need {
	NEED_ALWAYS,   /* at once */
	NEED_DEVICE,   /* when a device of this machine matches one of its aliases */
	NEED_ASKED,    /* file systems and the like: when a step asks for its alias */
	NEED_BY_OTHER, /* when a module that depends on it is loaded */
};

struct module {
	const char *path, *name;
	struct module_info info;
	enum module_need need;
	bool done; /* tried */
};

struct modules {
	struct module all[MODULES_MAX];
	size_t count;
	unsigned loaded, failed;
	bool slow_vectors;		 /* an emulated processor: hashing by vector instructions is left out */
	int (*insert)(const char *path); /* 0 or -errno; tests put theirs */
	char list[MODULE_LIST_MAX];
};

/* Take the next path off the list: *at moves behind it. Blank lines and # comments are skipped, and what is no
 * absolute path below /modules. NULL at the end. The list is changed. Pure. */
char *next_module(char **at);

/* "/modules/019-virtio_pci.ko" gives "virtio_pci" with its ".ko". Pure. */
const char *module_name(const char *path);

/* Fill in every module's need from what it says of itself and from who depends on it. Pure. */
void sort_modules(struct modules *modules);

/* Read /modules/list and the modules' own words. No list: an empty set. */
void open_modules(struct modules *modules);

/* Load those that are needed always. */
void load_basic_modules(struct modules *modules);

/* The same in a child, on another processor than the controllers' drivers. Returns its pid; 0: it had to be done here.
 */
pid_t start_basic_modules(struct modules *modules);

/* Wait for it, and count what it loaded. */
void await_basic_modules(struct modules *modules, pid_t child);

/* Load those that match a device, again until no more come: a controller brings its disks. first: also look at buses
 * that never change. Returns whether any was loaded. */
bool load_matching_modules(struct modules *modules, bool first);

/* Load what has this alias, as "fs-squashfs". Not there: it may be built in, nothing is done. */
void load_asked_module(struct modules *modules, const char *alias);

/* Load one with all it depends on, in the order of the list. */
void load_module(struct modules *modules, size_t index);

/* Whether this processor emulates vector instructions slowly. */
bool vectors_are_slow(void);

#endif
