/* What lies on block devices, read where a mistake costs nothing.
 *
 * libblkid parses what anybody may have written on a disk, some fifty formats, so it runs in a child without rights.
 * The child opens the devices and asks the kernel their sizes while it still may; then it can read them and answer,
 * and nothing else. One child serves many devices; where it dies, each gets one of its own.
 */
#include "storage/probe_devices.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/confined.h"
#include "storage/device_names.h"

#define TIMEOUT_MS 5000
#define ANSWER_MAX 65536

struct job {
	const struct probed *devices;
	size_t count;
	blkid_probe probes[PROBED_AT_ONCE]; /* NULL: could not be opened */
};

static blkid_probe open_probe(const char *name)
{
	char path[300];
	blkid_probe probe;
	int fd;

	if ((size_t)snprintf(path, sizeof path, "/dev/%s", name) >= sizeof path)
		return NULL;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	probe = fd >= 0 ? blkid_new_probe() : NULL;
	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) < 0) {
		blkid_free_probe(probe);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	/* Both are remembered in the probe: asking is not allowed later. */
	blkid_probe_get_sectorsize(probe);
	blkid_probe_get_wholedisk_devno(probe);
	return probe;
}

static int open_all(void *arg, struct err *err)
{
	struct job *job = arg;

	(void)err;
	for (size_t i = 0; i < job->count; i++)
		job->probes[i] = open_probe(job->devices[i].name);
	return 0;
}

static void tell_value(blkid_probe probe, const char *key, const char *word, int index, struct buf *answer)
{
	char name[LINK_NAME_MAX];
	const char *value;

	if (!blkid_probe_lookup_value(probe, key, &value, NULL) && escape_label(value, name))
		buf_addf(answer, "%d %s %s\n", index, word, name);
}

static void tell_file_system(blkid_probe probe, int index, struct buf *answer)
{
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_UUID | BLKID_SUBLKS_LABEL);
	/* Signatures of two kinds at once give no name, as with udev. */
	if (blkid_do_safeprobe(probe) == 0) {
		tell_value(probe, "UUID", "uuid", index, answer);
		tell_value(probe, "LABEL", "label", index, answer);
	}
	blkid_probe_enable_superblocks(probe, 0);
}

static void tell_partitions(blkid_probe probe, int index, struct buf *answer)
{
	blkid_partlist list;
	int count;

	blkid_reset_probe(probe);
	blkid_probe_enable_partitions(probe, 1);
	list = blkid_probe_get_partitions(probe);
	count = list ? blkid_partlist_numof_partitions(list) : 0;
	for (int i = 0; i < count; i++) {
		blkid_partition partition = blkid_partlist_get_partition(list, i);
		const char *uuid = blkid_partition_get_uuid(partition), *label = blkid_partition_get_name(partition);
		int number = blkid_partition_get_partno(partition);
		char name[LINK_NAME_MAX];

		if (uuid && escape_label(uuid, name))
			buf_addf(answer, "%d partuuid %d %s\n", index, number, name);
		if (label && escape_label(label, name))
			buf_addf(answer, "%d partlabel %d %s\n", index, number, name);
	}
}

static int probe_all(void *arg, struct buf *answer, struct err *err)
{
	struct job *job = arg;

	(void)err;
	for (size_t i = 0; i < job->count; i++) {
		if (!job->probes[i])
			continue;
		tell_file_system(job->probes[i], job->devices[i].index, answer);
		tell_partitions(job->probes[i], job->devices[i].index, answer);
	}
	return 0;
}

int probe_devices(const struct probed *devices, size_t count, struct buf *answer, struct err *err)
{
	struct job job = {.devices = devices, .count = count < PROBED_AT_ONCE ? count : PROBED_AT_ONCE};
	const struct confined reader = {.prepare = open_all,
					.work = probe_all,
					.arg = &job,
					.timeout_ms = TIMEOUT_MS,
					.answer_max = ANSWER_MAX};
	int r = confined_run(&reader, answer, err);

	if (r >= 0 || count < 2)
		return r;
	for (size_t i = 0; i < job.count; i++)
		probe_devices(&devices[i], 1, answer, NULL);
	return 0;
}
