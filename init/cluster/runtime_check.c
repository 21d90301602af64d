/* keelson runtime-check: before containerd's first start of a boot, look whether a power cut broke its databases.
 *
 * containerd has two that only make sense together: images and containers (meta.db), and snapshots (metadata.db). When
 * one is broken, or one of them is gone, both are, and so is all they describe: the directory is moved aside as a
 * whole, preloaded images are imported anew and the kubelet makes its pods anew. Nothing of the cluster's state lies
 * there.
 */
#include "cluster/runtime_check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/bolt_check.h"
#include "cluster/pod_networks.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/process.h"
#include "lib/story.h"

#define META "io.containerd.metadata.v1.bolt/meta.db"
#define SNAPSHOTS "io.containerd.snapshotter.v1.overlayfs/metadata.db"
#define REMOVE_TIMEOUT_MS 120000

/* *exists: there is such a file with something in it. Returns 0, -EBADMSG when it is broken, or another error. */
static int check_database(const char *root, const char *name, bool *exists, struct err *err)
{
	char path[PATH_MAX];
	_cleanup_close_ int fd = -1;
	struct stat st;
	void *bytes;
	int r;

	*exists = false;
	snprintf(path, sizeof path, "%s/%s", root, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, "open %s", path);
	if (fstat(fd, &st) < 0)
		return err_errno(err, "%s", path);
	if (st.st_size == 0)
		return 0;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return err_errno(err, "map %s", path);
	r = bolt_check(bytes, (size_t)st.st_size, err);
	munmap(bytes, (size_t)st.st_size);
	*exists = true;
	return r ? err_wrap(err, r, "%s", path) : 0;
}

static int set_aside(const char *root, const char *broken, struct err *err)
{
	const char *const argv[] = {"rm", "-rf", "--", broken, NULL};
	const struct process process = {.argv = argv, .timeout_ms = REMOVE_TIMEOUT_MS};

	if (rename(root, broken) == 0)
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return err_errno(err, "move %s to %s", root, broken);
	/* A former one that was not removed yet. */
	if (process_run_ok(&process, err) < 0 || rename(root, broken) < 0)
		return err_errno(err, "move %s to %s", root, broken);
	return 0;
}

int runtime_check(const char *root, const char *broken, struct err *err)
{
	bool meta, snapshots;
	struct err moving;
	int r = check_database(root, META, &meta, err);

	if (!r)
		r = check_database(root, SNAPSHOTS, &snapshots, err);
	if (!r && meta != snapshots)
		r = err_set(err, EBADMSG, "%s: expected %s and %s, found only one of them", root, META, SNAPSHOTS);
	if (r != -EBADMSG)
		return r;
	r = set_aside(root, broken, &moving);
	if (r < 0) {
		*err = moving;
		return r;
	}
	return 1;
}

int runtime_check_main(int argc, char **argv)
{
	struct err err = {{0}};
	int r;

	(void)argv;
	if (argc > 1) {
		fputs("usage: keelson runtime-check\n", stderr);
		return 2;
	}
	r = runtime_check(CONTAINERD_ROOT, BROKEN_CONTAINERD, &err);
	if (r > 0)
		story("%s; moved to %s, pods are made anew", err.text, BROKEN_CONTAINERD);
	if (r >= 0)
		r = forget_pod_networks(CNI_RECORDS, CNI_FORGOTTEN, &err);
	if (r < 0)
		story("%s", err.text);
	return r < 0;
}
