/* Which Kubernetes a release is, and whether Keelson can render it. Used by mkimage and by `keelson cluster`. */
#ifndef KEELSON_KUBERNETES_VERSION_H
#define KEELSON_KUBERNETES_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

/* The first and the last minor of Kubernetes 1.x that cluster/version_table.c knows. */
#define KUBERNETES_MINOR_FIRST 20
#define KUBERNETES_MINOR_LAST 33

struct kubernetes_version {
	unsigned minor, patch;
	char text[32]; /* as given, "v1.20.2" */
};

/* Read "v1.20.2", also with a suffix such as "-rc.1" or "+build". Returns 0, -EINVAL when it is no version, or
 * -ENOTSUP when it is one outside the table: the line then names the range. */
int kubernetes_version_parse(const char *text, struct kubernetes_version *version, struct err *err);

/* The release on this root, "v1.20.2", as mkimage wrote it to KUBERNETES_VERSION_PATH. Returns 0 or -errno; text is ""
 * then. */
#define KUBERNETES_VERSION_PATH "/usr/lib/keelson/kubernetes-version"
int kubernetes_version_read(char *text, size_t size, struct err *err);

/* Can this release be rendered? The line in err says why not. */
bool kubernetes_version_supported(const char *text, struct err *err);

#endif
