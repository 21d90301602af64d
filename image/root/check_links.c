/* Links of the finished tree: those below /usr stay in /usr, and every one leads somewhere. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "root/parts.h"

/* Exists on a running node only. */
static bool at_run_time(const char *target)
{
	return strstr(target, "proc/") || !strncmp(target, "/run/", 5) || !strncmp(target, "/sys/", 5) ||
	       !strncmp(target, "/dev/", 5);
}

int check_links(const struct tree *tree, struct err *err)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct node *node = tree->nodes[i];
		const struct node *end;

		if (node->type != NODE_LINK || at_run_time(node->target))
			continue;
		end = tree_resolve(tree, node->path);
		if (!end)
			return err_set(err, EINVAL,
				       "%s -> %s (%s): a link that leads nowhere: drop it, or add what it needs",
				       node->path, node->target, node->from);
		if (!strncmp(node->path, "/usr/", 5) && strncmp(end->path, "/usr/", 5))
			return err_set(err, EINVAL, "%s -> %s (%s): expected links of /usr to stay in /usr", node->path,
				       node->target, node->from);
	}
	return 0;
}
