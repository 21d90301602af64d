/* Network interfaces that are hardware. */
#include "storage/network_links.h"

#include <dirent.h>

#include "lib/physical_link.h"

unsigned count_physical_links(void)
{
	DIR *dir = opendir("/sys/class/net");
	struct dirent *entry;
	unsigned links = 0;

	while (dir && (entry = readdir(dir)))
		links += entry->d_name[0] != '.' && is_physical_link("/sys", entry->d_name);
	if (dir)
		closedir(dir);
	return links;
}
