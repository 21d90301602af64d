/* Network interfaces that are hardware: /sys/class/net/NAME/device is there. */
#include "storage/network_links.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

bool is_physical_link(const char *name)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/class/net/%.32s/device", name);
	return !access(path, F_OK);
}

unsigned count_physical_links(void)
{
	DIR *dir = opendir("/sys/class/net");
	struct dirent *entry;
	unsigned links = 0;

	while (dir && (entry = readdir(dir)))
		links += entry->d_name[0] != '.' && is_physical_link(entry->d_name);
	if (dir)
		closedir(dir);
	return links;
}
