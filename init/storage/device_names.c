/* Names of block devices below /dev/disk.
 *
 * People and CSI drivers know these names from udev, so its rules are followed for what nodes have: virtio, NVMe, SCSI,
 * ATA, USB, device mapper. A name that would differ from udev's is not made.
 * Source: systemd rules.d/60-persistent-storage.rules, src/shared/device-nodes.c (encoding), udev-builtin-path_id.c.
 */
#include "storage/device_names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at s, 0 when it is none. */
static size_t utf8_length(const unsigned char *s)
{
	size_t len = 0;

	if (s[0] >= 0xc2 && s[0] < 0xe0)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] < 0xf0)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] < 0xf5)
		len = 4;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

static bool is_plain(unsigned char c)
{
	return c < 0x80 && (isalnum(c) || (c && strchr("#+-.:=@_", c)));
}

bool escape_label(const char *label, char name[LINK_NAME_MAX])
{
	const unsigned char *s = (const unsigned char *)label;
	size_t at = 0;

	while (*s && at + 5 < LINK_NAME_MAX) {
		size_t len = is_plain(*s) ? 1 : utf8_length(s);

		if (len) {
			memcpy(name + at, s, len);
			at += len;
			s += len;
		} else {
			at += (size_t)snprintf(name + at, 5, "\\x%02x", *s++);
		}
	}
	name[at] = 0;
	return at && !*s && strcmp(name, ".") && strcmp(name, "..");
}

void plain_serial(const char *serial, char name[LINK_NAME_MAX])
{
	size_t at = 0;

	while (isspace((unsigned char)*serial))
		serial++;
	for (; *serial && at + 1 < LINK_NAME_MAX; serial++) {
		bool blank = isspace((unsigned char)*serial);

		if (blank && (isspace((unsigned char)serial[1]) || !serial[1]))
			continue;
		name[at++] = is_plain((unsigned char)*serial) ? *serial : '_';
	}
	name[at] = 0;
}

static bool joined(const char *bus, const char *a, const char *b, char name[LINK_NAME_MAX])
{
	char first[LINK_NAME_MAX], second[LINK_NAME_MAX];

	plain_serial(a, first);
	plain_serial(b, second);
	return *first && *second && snprintf(name, LINK_NAME_MAX, "%s-%s_%s", bus, first, second) < LINK_NAME_MAX;
}

static bool alone(const char *bus, const char *serial, char name[LINK_NAME_MAX])
{
	char plain[LINK_NAME_MAX];

	plain_serial(serial, plain);
	return *plain && snprintf(name, LINK_NAME_MAX, "%s-%s", bus, plain) < LINK_NAME_MAX;
}

/* libata's words in page 0x83: vendor in 8 characters, model in 40, serial in 20. */
static bool ata_name(const char *wwid, char name[LINK_NAME_MAX])
{
	char model[41], serial[21];

	if (strncmp(wwid, "t10.ATA     ", 12) || strlen(wwid) < 12 + 40 + 1)
		return false;
	snprintf(model, sizeof model, "%.40s", wwid + 12);
	snprintf(serial, sizeof serial, "%.20s", wwid + 52);
	return joined("ata", model, serial, name);
}

static bool wwn_name(const char *wwid, char name[LINK_NAME_MAX])
{
	char number[LINK_NAME_MAX];

	if (strncmp(wwid, "naa.", 4))
		return false;
	snprintf(number, sizeof number, "0x%.200s", wwid + 4);
	return alone("wwn", number, name);
}

bool id_name(const struct disk_identity *d, unsigned index, char name[LINK_NAME_MAX])
{
	char candidates[8][LINK_NAME_MAX];
	bool nvme = !strncmp(d->name, "nvme", 4);
	unsigned n = 0;

	n += !strncmp(d->name, "vd", 2) && alone("virtio", d->serial, candidates[n]);
	n += nvme && joined("nvme", d->model, d->nvme_serial, candidates[n]);
	n += nvme && alone("nvme", d->wwid, candidates[n]);
	n += !nvme && ata_name(d->wwid, candidates[n]);
	n += !nvme && wwn_name(d->wwid, candidates[n]);
	n += alone("dm-name", d->dm_name, candidates[n]);
	n += alone("dm-uuid", d->dm_uuid, candidates[n]);
	if (index >= n)
		return false;
	strcpy(name, candidates[index]);
	return true;
}

static bool is_pci_address(const char *part)
{
	unsigned domain, bus, slot, function;
	int used = 0;

	return sscanf(part, "%4x:%2x:%2x.%1x%n", &domain, &bus, &slot, &function, &used) == 4 && !part[used];
}

/* What a part of the path adds to the name; the host's number of a SCSI address is 0, one host per controller. */
static int path_part(const struct disk_identity *disk, const char *part, char *more, size_t room)
{
	unsigned host, channel, target;
	unsigned long long lun;
	int used = 0;

	if (sscanf(part, "%u:%u:%u:%llu%n", &host, &channel, &target, &lun, &used) == 4 && !part[used]) {
		if (disk->ata_port)
			return snprintf(more, room, "-ata-%u", disk->ata_port);
		return snprintf(more, room, "-scsi-0:%u:%u:%llu", channel, target, lun);
	}
	if (sscanf(part, "nvme%un%u%n", &host, &target, &used) == 2 && !part[used])
		return snprintf(more, room, "-nvme-%u", target);
	/* "1-2:1.0" is an interface of a USB device: bus, ports, configuration and interface. */
	if (isdigit((unsigned char)part[0]) && strchr(part, '-') && strchr(part, ':') && strchr(part, '.'))
		return snprintf(more, room, "-usb-0:%s", strchr(part, '-') + 1);
	return 0;
}

bool path_name(const struct disk_identity *disk, char name[LINK_NAME_MAX])
{
	char path[sizeof disk->path], *rest = path, *part;
	size_t at = 0;

	strcpy(path, disk->path);
	while ((part = strsep(&rest, "/"))) {
		int more = 0;

		if (is_pci_address(part)) /* the last one is the controller itself */
			at = (size_t)snprintf(name, LINK_NAME_MAX, "pci-%s", part);
		else if (at)
			more = path_part(disk, part, name + at, LINK_NAME_MAX - at);
		if (more < 0 || (at += (size_t)more) >= LINK_NAME_MAX)
			return false;
	}
	return at > 0;
}
