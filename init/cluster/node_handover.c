/* Give the held manifests to the kubelet: a rename each, which its watch of the directory sees. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "cluster/node.h"

int node_handover(const char *held, const char *manifests, struct err *err)
{
	DIR *directory = opendir(held);
	struct dirent *entry;
	int count = 0;

	if (!directory)
		return errno == ENOENT ? 0 : err_errno(err, "open %s", held);
	while (count >= 0 && (entry = readdir(directory))) {
		char from[600], to[600];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(from, sizeof from, "%s/%s", held, entry->d_name);
		snprintf(to, sizeof to, "%s/%s", manifests, entry->d_name);
		count = rename(from, to) < 0 ? err_errno(err, "hand over %s", from) : count + 1;
	}
	closedir(directory);
	return count;
}
