/* Which network links are the machine's own. Source: Linux Documentation/ABI/testing/sysfs-class-net. */
#include "lib/physical_link.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"

bool is_physical_link(const char *sys, const char *name)
{
	_cleanup_(buf_free) struct buf type = {0};
	char path[PATH_MAX];

	if (!*name || strchr(name, '/'))
		return false;
	snprintf(path, sizeof path, "%s/class/net/%s/device", sys, name);
	if (access(path, F_OK) < 0)
		return false;
	snprintf(path, sizeof path, "%s/class/net/%s/type", sys, name);
	return file_read(path, 256, &type, NULL) == 0 && !strcmp(buf_string(&type), "1\n");
}
