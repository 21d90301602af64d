/* NoCloud from a disk: mounted in a mount namespace of its own, read, gone with the child that read it.
 *
 * Source: cloud-init's documentation, "NoCloud", "Source files". Where two disks are labelled cidata the first in the
 * order of probe_disks is taken, as cloud-init does, and the other is named.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "config/datasource.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/process.h"
#include "lib/story.h"

#ifndef MS_NOSYMFOLLOW
#define MS_NOSYMFOLLOW 256
#endif

#define MOUNT_POINT "/run/keelson/seed"
#define MODPROBE_TIMEOUT_MS 10000

/* The kernel calls modprobe itself where it can; where it cannot, we do, once. */
static int mount_disk(const char *device, const char *filesystem, struct err *err)
{
	static const unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_NOSYMFOLLOW;
	const char *const argv[] = {"modprobe", !strcmp(filesystem, "iso9660") ? "isofs" : filesystem, NULL};
	struct process modprobe = {.argv = argv, .timeout_ms = MODPROBE_TIMEOUT_MS};

	if (mount(device, MOUNT_POINT, filesystem, flags, NULL) == 0)
		return 0;
	if (errno == ENODEV && process_run_ok(&modprobe, NULL) == 0 &&
	    mount(device, MOUNT_POINT, filesystem, flags, NULL) == 0)
		return 0;
	return err_errno(err, "mount %s as %s", device, filesystem);
}

static int open_on_disk(void *arg, struct seed_files *files, struct err *err)
{
	const struct seed_disk *disk = arg;
	char device[64];
	int r = make_directories(MOUNT_POINT, 0700, err);

	if (r < 0)
		return r;
	snprintf(device, sizeof device, "/dev/%s", disk->name);
	if (unshare(CLONE_NEWNS) < 0)
		return err_errno(err, "new mount namespace");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return err_errno(err, "make mounts private");
	r = mount_disk(device, disk->filesystem, err);
	return r < 0 ? r : seed_open_directory(MOUNT_POINT, files, err);
}

/* The disk of a partition, or the other way round: one medium, not two (hybrid images show up as both). */
static bool same_medium(const char *a, const char *b)
{
	size_t len = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	return !strncmp(a, b, len);
}

static void name_the_others(const struct seed_disk *disks, int count)
{
	for (int i = 1; i < count; i++)
		if (!same_medium(disks[i].name, disks[0].name))
			story("warning: /dev/%s is labelled cidata too: /dev/%s is taken", disks[i].name,
			      disks[0].name);
}

int nocloud_read(struct seed *seed, struct buf *looked, struct err *err)
{
	struct seed_disk disks[DISKS_MAX];
	_cleanup_(buf_free) struct buf names = {0};
	int count = probe_disks(disks, &names, err), r;

	if (count < 0)
		return count;
	if (count == 0) {
		buf_addf(looked, "no disk labelled cidata (looked at %s)",
			 names.len ? names.data : "none: there is no disk");
		return 0;
	}
	name_the_others(disks, count);
	if (asprintf(&seed->source, "NoCloud on /dev/%s", disks[0].name) < 0) {
		seed->source = NULL;
		return err_set(err, ENOMEM, "no memory");
	}
	r = seed_read(open_on_disk, &disks[0], seed, err);
	return r < 0 ? err_wrap(err, r, "cidata on /dev/%s", disks[0].name) : 1;
}

const struct datasource datasources[] = {
	{"NoCloud", nocloud_read},
	{NULL, NULL},
};
