/* Our own part of the root: init, keelson, the table of services, BusyBox, and the links that name them. */
#ifndef KEELSON_PROGRAMS_H
#define KEELSON_PROGRAMS_H

#include "lib/err.h"
#include "root/tree.h"

/* init and keelson from the folder PROGRAMS. */
int add_programs(struct tree *tree, const char *programs, struct err *err);

/* BusyBox, and LINKS that lead to it ("/usr/sbin/udhcpc"). */
int add_busybox(struct tree *tree, const char *busybox, const struct strings *links, struct err *err);

/* The compiled table of the services NAMES of FOLDER, or of all its services when NAMES is empty. */
int add_services(struct tree *tree, const char *folder, const struct strings *names, unsigned *count, struct err *err);

#endif
