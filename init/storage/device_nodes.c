/* Device nodes.
 *
 * /dev/net/tun, /dev/fuse and their like exist before their module does: opening one loads it. depmod lists them.
 * Source: kmod's modules.devname; systemd rules.d/50-udev-default.rules for the modes.
 */
#include "storage/device_nodes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"

static const struct {
	const char *name;
	mode_t mode;
} modes[] = {
	{"kvm", 0666},	 {"net/tun", 0666}, {"fuse", 0666},	 {"vhost-net", 0660}, {"vhost-vsock", 0660},
	{"vsock", 0666}, {"udmabuf", 0660}, {"vfio/vfio", 0666}, {"ptp0", 0644},      {"rfkill", 0664},
};

int parse_static_node(char *line, struct static_node *node)
{
	char *module = strsep(&line, " "), *name = strsep(&line, " "), type;

	if (!module || *module == '#' || !name || !line || !*name || *name == '/' || strstr(name, ".."))
		return -EINVAL;
	if (sscanf(line, "%c%u:%u", &type, &node->major, &node->minor) != 3 || (type != 'c' && type != 'b') ||
	    node->major > 4095 || node->minor > 1048575)
		return -EINVAL;
	node->name = name;
	node->block = type == 'b';
	return 0;
}

mode_t device_mode(const char *name)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (!strcmp(name, modes[i].name))
			return modes[i].mode;
	return 0;
}

static void make_node(const struct static_node *node)
{
	char path[256], *slash;

	if ((size_t)snprintf(path, sizeof path, "/dev/%s", node->name) >= sizeof path)
		return;
	slash = strrchr(path, '/');
	*slash = 0;
	make_directories(path, 0755, NULL);
	*slash = '/';
	mknod(path, (node->block ? S_IFBLK : S_IFCHR) | 0600, makedev(node->major, node->minor));
}

void make_static_nodes(void)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct static_node node;
	struct utsname kernel;
	char path[200], *at, *line;

	uname(&kernel);
	snprintf(path, sizeof path, "/lib/modules/%.65s/modules.devname", kernel.release);
	if (file_read(path, 65536, &text, NULL) < 0)
		return;
	at = text.data;
	while ((line = strsep(&at, "\n")))
		if (!parse_static_node(line, &node))
			make_node(&node);
}

void set_device_mode(const char *name)
{
	mode_t mode = device_mode(name);
	char path[256];

	if (mode && (size_t)snprintf(path, sizeof path, "/dev/%s", name) < sizeof path)
		chmod(path, mode);
}

void set_all_device_modes(void)
{
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		set_device_mode(modes[i].name);
}
