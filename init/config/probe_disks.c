/* Which block devices are labelled cidata.
 *
 * Every disk is opened first and looked at afterwards by a child without rights: a superblock is as untrusted as what
 * lies behind it. Only two prober functions of libblkid run, so that a disk costs a few sectors.
 * Source: cloud-init's documentation "NoCloud": vfat or ISO 9660, label cidata or CIDATA; mkfs.vfat writes capitals.
 */
#include <blkid/blkid.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/cdrom.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

#include "config/datasource.h"
#include "lib/cleanup.h"
#include "lib/confined.h"

#define PROBE_TIMEOUT_MS 30000

static const char *const filesystems[] = {NULL, "iso9660", "vfat"};

struct probing {
	char names[DISKS_MAX][32];
	blkid_probe probes[DISKS_MAX];
	size_t count;
};

bool may_be_seed(const char *name)
{
	/* fd: a missing floppy takes seconds to say so; dm-: our own root */
	static const char *const never[] = {"fd", "ram", "zram", "dm-", "nbd", "mtdblock", "md"};

	for (size_t i = 0; i < sizeof never / sizeof never[0]; i++) {
		size_t len = strlen(never[i]);

		if (!strncmp(name, never[i], len) && (never[i][len - 1] == '-' || isdigit((unsigned char)name[len])))
			return false;
	}
	return strlen(name) < 32;
}

static int backwards(const void *a, const void *b)
{
	return strcmp(((const struct seed_disk *)b)->name, ((const struct seed_disk *)a)->name);
}

void order_disks(struct seed_disk *disks, size_t count)
{
	qsort(disks, count, sizeof *disks, backwards);
}

static int list_disks(struct probing *probing, struct err *err)
{
	DIR *directory = opendir("/sys/class/block");
	struct dirent *entry;

	if (!directory)
		return err_errno(err, "open /sys/class/block");
	while (probing->count < DISKS_MAX && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || !may_be_seed(entry->d_name))
			continue;
		snprintf(probing->names[probing->count++], 32, "%.31s", entry->d_name);
	}
	closedir(directory);
	return 0;
}

/* Opened so, an optical drive does not pull in its tray, but opens without a disc, too. */
static bool has_medium(const char *name, int fd)
{
	return strncmp(name, "sr", 2) != 0 || ioctl(fd, CDROM_DRIVE_STATUS, CDSL_CURRENT) == CDS_DISC_OK;
}

/* Card readers without a card do not open; loop devices without a file have no size: both are no seed. */
static int open_disks(void *arg, struct err *err)
{
	char iso9660[] = "iso9660", vfat[] = "vfat";
	char *only[] = {iso9660, vfat, NULL};
	struct probing *probing = arg;
	(void)err;

	for (size_t i = 0; i < probing->count; i++) {
		char path[64];
		blkid_probe probe;
		int fd;

		snprintf(path, sizeof path, "/dev/%s", probing->names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			continue;
		if (!has_medium(probing->names[i], fd)) {
			close(fd);
			continue;
		}
		probe = blkid_new_probe();
		if (!probe || blkid_probe_set_device(probe, fd, 0, 0) != 0 || blkid_probe_get_size(probe) < 2048)
			continue;
		blkid_probe_enable_superblocks(probe, 1);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_LABEL | BLKID_SUBLKS_TYPE);
		blkid_probe_filter_superblocks_type(probe, BLKID_FLTR_ONLYIN, only);
		probing->probes[i] = probe;
	}
	return 0;
}

static bool has_label(blkid_probe probe, const char *kind)
{
	const char *label = NULL;

	return blkid_probe_lookup_value(probe, kind, &label, NULL) == 0 && label && !strcasecmp(label, "cidata");
}

/* One byte per disk: 0, or which file system it has. */
static int look_at_disks(void *arg, struct buf *answer, struct err *err)
{
	struct probing *probing = arg;
	(void)err;

	for (size_t i = 0; i < probing->count; i++) {
		blkid_probe probe = probing->probes[i];
		const char *type = NULL;
		char which = 0;

		if (probe && blkid_do_safeprobe(probe) == 0 &&
		    (has_label(probe, "LABEL") || has_label(probe, "LABEL_FATBOOT")) &&
		    blkid_probe_lookup_value(probe, "TYPE", &type, NULL) == 0 && type)
			which = !strcmp(type, "iso9660") ? 1 : !strcmp(type, "vfat") ? 2 : 0;
		if (buf_add(answer, &which, 1) < 0)
			return -ENOMEM;
	}
	return 0;
}

int probe_disks(struct seed_disk found[DISKS_MAX], struct buf *looked, struct err *err)
{
	_cleanup_(buf_free) struct buf answer = {0};
	struct probing probing = {0};
	struct confined confined = {open_disks, look_at_disks, &probing, PROBE_TIMEOUT_MS, DISKS_MAX};
	size_t count = 0;
	int r = list_disks(&probing, err);

	if (r < 0)
		return r;
	r = confined_run(&confined, &answer, err);
	if (r < 0)
		return err_wrap(err, r, "look at disks");
	for (size_t i = 0; i < probing.count && i < answer.len; i++) {
		unsigned char which = (unsigned char)answer.data[i];

		buf_addf(looked, "%s%s", looked->len ? ", " : "", probing.names[i]);
		if (which != 1 && which != 2)
			continue;
		memcpy(found[count].name, probing.names[i], sizeof found[count].name);
		found[count++].filesystem = filesystems[which];
	}
	order_disks(found, count);
	return (int)count;
}
