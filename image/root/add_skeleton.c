/* What every root has before any package: base-files' and netbase's part, and what a node mounts on. */
#include "root/parts.h"

#include <stdio.h>
#include <string.h>

struct made {
	const char *path;
	uint32_t mode;
	const char *content; /* text of a file, "-> TARGET", or NULL: a directory */
};

/* /etc lies under an overlay, /run and /tmp are tmpfs, /var is the state partition: what is here is what there is
 * before those are mounted, or the lower layer of /etc. */
static const struct made skeleton[] = {
	{"/usr", 0755, NULL},
	{"/usr/bin", 0755, NULL},
	{"/usr/sbin", 0755, NULL},
	{"/usr/lib", 0755, NULL},
	{"/usr/lib64", 0755, NULL},
	{"/dev", 0755, NULL},
	{"/etc", 0755, NULL},
	{"/mnt", 0755, NULL},
	{"/opt", 0755, NULL},
	{"/proc", 0555, NULL},
	{"/root", 0700, NULL},
	{"/run", 0755, NULL},
	{"/srv", 0755, NULL},
	{"/sys", 0555, NULL},
	{"/tmp", 01777, NULL},
	{"/var", 0755, NULL},
	{"/etc/cni/net.d", 0755, NULL},
	{"/etc/kubernetes/manifests", 0755, NULL},
	{"/etc/mtab", 0, "-> ../proc/self/mounts"},
	{"/etc/localtime", 0, "-> ../usr/share/zoneinfo/Etc/UTC"},
	{"/etc/timezone", 0644, "Etc/UTC\n"},
	{"/etc/machine-id", 0444, ""},
	{"/etc/hostname", 0644, ""},
	{"/etc/hosts", 0644, "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n"},
	{"/etc/resolv.conf", 0644, ""},
	{"/etc/host.conf", 0644, "multi on\n"},
	{"/etc/nsswitch.conf", 0644,
	 "passwd: files\ngroup: files\nshadow: files\ngshadow: files\nhosts: files dns\nnetworks: files\nprotocols: "
	 "files\n"
	 "services: files\nethers: files\nrpc: files\n"},
	{"/etc/networks", 0644, "default 0.0.0.0\nloopback 127.0.0.0\nlink-local 169.254.0.0\n"},
	{"/etc/shells", 0644, ""},
};

static int add_made(struct tree *tree, const struct made *m, struct err *err)
{
	if (!m->content)
		return tree_add_directory(tree, m->path, m->mode, err);
	if (!strncmp(m->content, "-> ", 3))
		return tree_add_link(tree, m->path, m->content + 3, err);
	return tree_add_text(tree, m->path, m->mode, m->content, err);
}

int add_skeleton(struct tree *tree, struct err *err)
{
	static const char *const merging[] = {"/bin", "/lib", "/lib64", "/sbin"};
	int r = 0;

	for (size_t i = 0; i < sizeof skeleton / sizeof *skeleton && !r; i++)
		r = add_made(tree, &skeleton[i], err);
	/* The links that merge /usr must not be moved into it themselves. */
	tree->verbatim = true;
	for (size_t i = 0; i < sizeof merging / sizeof *merging && !r; i++) {
		char target[16];

		snprintf(target, sizeof target, "usr%s", merging[i]);
		r = tree_add_link(tree, merging[i], target, err);
	}
	tree->verbatim = false;
	return r;
}
