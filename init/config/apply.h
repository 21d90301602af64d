/* A checked document put in force: name, files, time zone, authorities, modules, kernel settings, node.json. */
#ifndef KEELSON_APPLY_H
#define KEELSON_APPLY_H

#include "config/node_name.h"
#include "config/seed.h"
#include "config/write_files.h"

struct apply {
	const char *root; /* in front of every path: "" on a node, a directory in tests */
	const struct seed *seed;
	struct node_name name;
	struct file_plan files;
	bool again; /* this instance's files on state were written at an earlier boot */
};

/* Find out everything that can fail because of the document, and touch nothing. Returns 0; -EINVAL when the document
 * does not fit this system, each reason a line in `problems`; or other -errno. The caller frees with apply_free. */
int apply_prepare(struct apply *apply, struct buf *problems, struct err *err);

/* Do it. What a broken machine refuses (a full disk, a missing module) is a line in `problems` and stops nothing
 * else: a node comes up as far as it can. *written: files of write_files. Returns 0, or -errno when node.json could not
 * be written, without which no later step runs. */
int apply_document(const struct apply *apply, size_t *written, struct buf *problems, struct err *err);

void apply_free(struct apply *apply);

/* ---- its parts, each with lines in `problems` for what did not work */

void apply_name(const struct apply *apply, struct buf *problems);
void apply_time_zone(const struct apply *apply, struct buf *problems);
void apply_authorities(const struct apply *apply, struct buf *problems);
void apply_modules(const struct apply *apply, struct buf *problems);
void apply_sysctls(const struct apply *apply, struct buf *problems);

/* "net.ipv4.ip_forward" or "net/ipv4/conf/eth0.1/forwarding" below /proc/sys, as sysctl.d(5): where the first
 * separator is a slash, dots stay dots. Returns 0, or -ENAMETOOLONG. Pure. */
int sysctl_path(const char *root, const char *name, char *path, size_t room);

#endif
