/* Resolve and download by apt, in the private root that image/third_party/apt_root.sh makes. */
#ifndef KEELSON_APT_H
#define KEELSON_APT_H

#include <limits.h>

#include "lib/buf.h"
#include "lib/err.h"
#include "packages/package.h"
#include "string_list.h"

struct apt {
	const char *conf;		/* apt.conf of the private root */
	const char *work;		/* a directory of the builder's own */
	const struct strings *provided; /* packages that apt takes for installed */
	char archives[PATH_MAX];	/* where downloaded packages lie; filled in by apt_open */
	char status[PATH_MAX];
};

/* Write the status file that says what is provided. */
int apt_open(struct apt *apt, struct err *err);

/* Everything that NAMES need, sorted by name. */
int apt_resolve(const struct apt *apt, const struct strings *names, struct package_set *set, struct err *err);

/* Download what is not there yet, and check SHA-256 of all. downloaded, when not NULL: the number of packages fetched.
 */
int apt_download(const struct apt *apt, const struct strings *names, const struct package_set *set, size_t *downloaded,
		 struct err *err);

/* Read what `apt-get --print-uris` prints with SHA256 forced. Pure. Returns 0, -EBADMSG or -ENOMEM. */
int apt_parse_uris(const char *text, struct package_set *set, struct err *err);

/* dpkg's status file for packages that are provided. Pure. Returns 0 or -ENOMEM. */
int apt_render_status(const struct strings *provided, struct buf *text);

#endif
