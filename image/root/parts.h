/* The parts of the root that the builder makes itself, where Debian has maintainer scripts. Each adds to the tree. */
#ifndef KEELSON_PARTS_H
#define KEELSON_PARTS_H

#include <stdint.h>

#include "description.h"
#include "lib/buf.h"
#include "lib/err.h"
#include "root/tree.h"

/* Links of the merged /usr, directories that exist empty, /etc/mtab, machine-id, hosts, nsswitch.conf, time zone. */
int add_skeleton(struct tree *tree, struct err *err);

/* The files, links and directories of the description. */
int add_files(struct tree *tree, const struct description *description, struct err *err);

/* passwd, group, shadow, gshadow. */
int add_users(struct tree *tree, const struct description *description, struct err *err);

/* What base-passwd and adduser would have made, as text. Pure. */
struct user_files {
	struct buf passwd, group, shadow, gshadow;
};
int render_users(const struct image_user *users, size_t count, struct user_files *files);
void user_files_free(struct user_files *files);

/* /usr/lib/os-release and the link from /etc. */
struct release {
	const char *version;	/* of the image: "0.1.0" */
	const char *kubernetes; /* "v1.20.2" */
	int64_t time;		/* when it was built; the floor of a node's clock */
};
int add_os_release(struct tree *tree, const struct release *release, struct err *err);

/* Pure. Returns 0 or -ENOMEM. */
int render_os_release(const struct release *release, struct buf *text);

/* /etc/ld.so.cache: what ldconfig would have made. */
int add_ld_cache(struct tree *tree, struct err *err);

/* /etc/ssl/certs: the bundle, a file for each certificate, and the links by hash that OpenSSL looks for. */
int add_ca_certificates(struct tree *tree, size_t *count, struct err *err);

/* Programs that are scripts go when their interpreter is not in the root: a node has no shell, perl or python. */
int drop_scripts(struct tree *tree, size_t *dropped, struct err *err);

/* Every shared library that a program or library of /usr names is in the tree. What apt was told to take for installed
 * may have been needed after all. Returns 0, or -ENOENT naming program and library. */
int check_libraries(const struct tree *tree, struct err *err);

/* No link below /usr may lead out of /usr: pods and upgrades get /usr without /etc and /var. Returns 0, or -EINVAL with
 * the first one. A link that leads nowhere is an error too, unless it points below /proc, /run or /sys. */
int check_links(const struct tree *tree, struct err *err);

#endif
