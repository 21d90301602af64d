/* Records of pod networks do not outlive a boot.
 *
 * CNI keeps what it gave each pod below /var/lib/cni: addresses taken (host-local) and results (libcni's cache). A boot
 * ends every pod's network, so all of them are stale: addresses would never be free again, and a result that a power
 * cut left empty keeps containerd from removing its pod for ever ("failed to get network cached result: unexpected
 * end of JSON input").
 */
#include "cluster/pod_networks.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/cleanup.h"

#define OPEN_FOLDERS 8

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *place)
{
	(void)st;
	(void)kind;
	return place->level > 0 && remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int forget_pod_networks(const char *records, const char *flag, struct err *err)
{
	_cleanup_close_ int fd = -1;

	if (access(flag, F_OK) == 0)
		return 0;
	if (nftw(records, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) < 0 && errno != ENOENT)
		return err_errno(err, "forget the pod networks of the boot before: %s", records);
	fd = open(flag, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd < 0 ? err_errno(err, "make %s", flag) : 0;
}
