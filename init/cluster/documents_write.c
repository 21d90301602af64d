/* Write what was rendered: keys and configuration first, manifests last, so that the kubelet never starts a pod whose
 * certificate is not there yet. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/documents.h"
#include "lib/file.h"

static const char *below(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return !strncmp(path, directory, len) && path[len] == '/' ? path + len + 1 : NULL;
}

static bool is_manifest(const char *path)
{
	return below(path, MANIFEST_DIRECTORY) || below(path, HELD_DIRECTORY);
}

static void place(const struct document *item, const char *root, char *path, size_t size)
{
	const char *held = below(item->path, HELD_DIRECTORY);

	if (held) {
		snprintf(path, size, "%s%s/%s", root, MANIFEST_DIRECTORY, held);
		if (access(path, F_OK) == 0)
			return;
	}
	snprintf(path, size, "%s%s", root, item->path);
}

int documents_write(const struct documents *documents, const char *root, struct err *err)
{
	for (int manifests = 0; manifests < 2; manifests++) {
		for (size_t i = 0; i < documents->count; i++) {
			const struct document *item = &documents->items[i];
			char path[PATH_MAX];
			int r;

			if (is_manifest(item->path) != (manifests == 1))
				continue;
			place(item, root, path, sizeof path);
			r = file_write_atomic(path, item->text.data, item->text.len, item->mode, err);
			if (r < 0)
				return r;
		}
	}
	return 0;
}
