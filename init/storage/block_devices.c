/* The block devices of the node and their names below /dev/disk.
 *
 * A file system that is made on a partition causes no event of the kernel, so devices are watched for the end of a
 * writer as udev does. Links are derived from all devices at once: when one that held a name goes, the next that has
 * the same label gets it.
 */
#include "storage/block_devices.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "storage/device_names.h"
#include "storage/disk_identity.h"
#include "storage/probe_devices.h"
#include "storage/sync_links.h"

#define CLASS_BLOCK "/sys/class/block"
#define LINKS_MAX 8192

bool is_block_name_of_interest(const char *name)
{
	static const char *const never[] = {".", "loop", "ram", "zram", "fd"};

	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		if (!strncmp(name, never[i], strlen(never[i])))
			return false;
	return strlen(name) < sizeof((struct block_device *)0)->name && !strchr(name, '/');
}

static struct block_device *find_device(struct block_devices *devices, const char *name)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->all[i].present && !strcmp(devices->all[i].name, name))
			return &devices->all[i];
	return NULL;
}

static struct block_device *free_row(struct block_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		if (!devices->all[i].present)
			return &devices->all[i];
	return devices->count < BLOCK_DEVICES_MAX ? &devices->all[devices->count++] : NULL;
}

static bool is_safe(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, "..");
}

void take_probe_line(struct block_devices *devices, const char *line)
{
	char word[16], first[LINK_NAME_MAX], second[LINK_NAME_MAX];
	struct block_device *device;
	int index, n;

	n = sscanf(line, "%d %15s %255s %255s", &index, word, first, second);
	if (n < 3 || index < 0 || (size_t)index >= devices->count || !devices->all[index].present)
		return;
	device = &devices->all[index];
	if (n == 3 && (!strcmp(word, "uuid") || !strcmp(word, "label")) && is_safe(first))
		buf_addf(&device->own, "disk/by-%s/%s\n", word, first);
	if (n == 4 && (!strcmp(word, "partuuid") || !strcmp(word, "partlabel")) && is_safe(second))
		buf_addf(&device->parts, "%d disk/by-%s/%s\n", atoi(first), word, second);
}

void open_block_devices(struct block_devices *devices)
{
	memset(devices, 0, sizeof *devices);
	devices->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
}

static void mark(struct block_devices *devices, const char *name)
{
	struct block_device *device = find_device(devices, name);
	char path[128];

	if (!device) {
		device = free_row(devices);
		if (!device)
			return;
		snprintf(device->name, sizeof device->name, "%.63s", name);
		snprintf(path, sizeof path, "/dev/%s", device->name);
		device->present = true;
		device->watch = inotify_add_watch(devices->inotify, path, IN_CLOSE_WRITE);
	}
	device->stale = true;
}

void block_device_changed(struct block_devices *devices, const char *name)
{
	char disk[64];

	if (!is_block_name_of_interest(name))
		return;
	mark(devices, name);
	if (disk_of_partition(name, disk))
		mark(devices, disk);
}

void block_device_removed(struct block_devices *devices, const char *name)
{
	struct block_device *device = find_device(devices, name);

	if (!device)
		return;
	if (device->watch >= 0)
		inotify_rm_watch(devices->inotify, device->watch);
	buf_free(&device->own);
	buf_free(&device->parts);
	device->present = device->stale = false;
	devices->changed = true;
}

void add_block_devices(struct block_devices *devices)
{
	DIR *dir = opendir(CLASS_BLOCK);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_block_name_of_interest(entry->d_name))
			mark(devices, entry->d_name);
	if (dir)
		closedir(dir);
}

void take_block_writes(struct block_devices *devices)
{
	char events[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(devices->inotify, events, sizeof events)) > 0)
		for (char *at = events; at < events + n; at += sizeof(struct inotify_event)) {
			const struct inotify_event *event = (const struct inotify_event *)(void *)at;

			for (size_t i = 0; event->mask & IN_CLOSE_WRITE && i < devices->count; i++)
				if (devices->all[i].present && devices->all[i].watch == event->wd)
					devices->all[i].stale = true;
			at += event->len;
		}
}

static void add_identity_links(struct block_device *device)
{
	struct disk_identity identity;
	char name[LINK_NAME_MAX], part[32] = "";
	unsigned number;

	if (read_disk_identity(device->name, &identity, &number) < 0)
		return;
	if (number)
		snprintf(part, sizeof part, "-part%u", number);
	for (unsigned i = 0; id_name(&identity, i, name); i++)
		buf_addf(&device->own, "disk/by-id/%s%s\n", name, part);
	if (path_name(&identity, name))
		buf_addf(&device->own, "disk/by-path/%s%s\n", name, part);
	if (*identity.dm_name && escape_label(identity.dm_name, name))
		buf_addf(&device->own, "mapper/%s\n", name);
}

static void probe_stale(struct block_devices *devices)
{
	_cleanup_(buf_free) struct buf answer = {0};
	struct probed batch[PROBED_AT_ONCE];
	char *at, *line;
	size_t n = 0;

	for (size_t i = 0; i < devices->count && n < PROBED_AT_ONCE; i++) {
		struct block_device *device = &devices->all[i];

		if (!device->present || !device->stale)
			continue;
		device->stale = false;
		buf_free(&device->own);
		buf_free(&device->parts);
		add_identity_links(device);
		if (has_medium(device->name))
			batch[n++] = (struct probed){device->name, (int)i};
	}
	if (n)
		probe_devices(batch, n, &answer, NULL);
	at = answer.data;
	while ((line = strsep(&at, "\n")))
		take_probe_line(devices, line);
	devices->changed = true;
}

/* Each "LINK" line of text as a wanted link to name. */
static size_t want(struct wanted_link *links, size_t n, char *text, const char *name, unsigned rank)
{
	char *line;

	while ((line = strsep(&text, "\n")))
		if (*line && n < LINKS_MAX)
			links[n++] = (struct wanted_link){line, name, rank};
	return n;
}

static size_t want_parts(struct wanted_link *links, size_t n, struct block_devices *devices, char *text,
			 const struct block_device *disk, unsigned rank)
{
	char *line;

	while ((line = strsep(&text, "\n"))) {
		char *link, name[64];
		long number = strtol(line, &link, 10);
		struct block_device *partition;

		if (*link != ' ' || number <= 0 || partition_name(disk->name, (unsigned)number, name) < 0)
			continue;
		partition = find_device(devices, name);
		if (partition && n < LINKS_MAX)
			links[n++] = (struct wanted_link){link + 1, partition->name, rank + (unsigned)number};
	}
	return n;
}

static void link_all(struct block_devices *devices)
{
	static struct wanted_link links[LINKS_MAX];
	char *texts[2 * BLOCK_DEVICES_MAX];
	size_t n = 0, copies = 0;

	for (size_t i = 0; i < devices->count; i++) {
		const struct block_device *device = &devices->all[i];
		unsigned rank = (unsigned)i << 16; /* of one label on two partitions, the lower number has it */

		if (!device->present)
			continue;
		texts[copies] = strdup(buf_string(&device->own));
		if (texts[copies])
			n = want(links, n, texts[copies++], device->name, rank);
		texts[copies] = strdup(buf_string(&device->parts));
		if (texts[copies])
			n = want_parts(links, n, devices, texts[copies++], device, rank);
	}
	n = settle_links(links, n);
	sync_links("/dev", links, n, NULL);
	while (copies)
		free(texts[--copies]);
}

void refresh_block_devices(struct block_devices *devices)
{
	bool more;

	do {
		more = false;
		for (size_t i = 0; i < devices->count && !more; i++)
			more = devices->all[i].present && devices->all[i].stale;
		if (more)
			probe_stale(devices);
	} while (more);
	if (devices->changed)
		link_all(devices);
	devices->changed = false;
}

unsigned count_disks(void)
{
	DIR *dir = opendir(CLASS_BLOCK);
	struct dirent *entry;
	unsigned disks = 0;
	char disk[64];

	while (dir && (entry = readdir(dir)))
		disks += is_block_name_of_interest(entry->d_name) && strncmp(entry->d_name, "dm-", 3) &&
			 !disk_of_partition(entry->d_name, disk) && has_medium(entry->d_name);
	if (dir)
		closedir(dir);
	return disks;
}
