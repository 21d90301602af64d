/* Device nodes: those whose module is loaded when they are first opened, and who may open which. */
#ifndef KEELSON_DEVICE_NODES_H
#define KEELSON_DEVICE_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct static_node {
	const char *name; /* below /dev: "net/tun" */
	bool block;
	unsigned major, minor;
};

/* One line of modules.devname: "tun net/tun c10:200". The line is changed. Returns 0 or -EINVAL. Pure. */
int parse_static_node(char *line, struct static_node *node);

/* The mode of a node, or 0: as the kernel made it. Pure. */
mode_t device_mode(const char *name);

/* Make the nodes of /lib/modules/VERSION/modules.devname. */
void make_static_nodes(void);

/* Give the node below /dev its mode; all: every node that has one. */
void set_device_mode(const char *name);
void set_all_device_modes(void);

#endif
