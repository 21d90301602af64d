/* The partition table of an image. Pure.
 *
 * GUIDs come from the version and the role, so that two builds give the same bytes; a slot is named by its content
 * instead: root PARTUUID = first half of the root hash, verity PARTUUID = second half. The first boot gives disk, ESP
 * and state new random ones.
 */
#include "disk/plan_disk.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)
#define ATTRIBUTE_GROW ((uint64_t)1 << 59) /* grow the file system */
#define ATTRIBUTE_READ_ONLY ((uint64_t)1 << 60)
#define STATE_MIN (256 * MIB)
#define LABEL_PREFIX "keelson_"

/* One row for each partition: DESIGN, disk. */
struct row {
	const char *label; /* NULL: keelson_VERSION */
	const char *type;
	uint64_t attributes;
};

static const struct row rows[DISK_PARTITIONS] = {
	[DISK_BIOS] = {"bios", "21686148-6449-6E6F-744E-656564454649", 0},
	[DISK_ESP] = {"esp", "C12A7328-F81F-11D2-BA4B-00A0C93EC93B", 0},
	[DISK_ROOT_A] = {NULL, "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709", ATTRIBUTE_READ_ONLY},
	[DISK_VERITY_A] = {NULL, "2C7357ED-EBD2-46D9-AEC1-23D437EC2BF5", ATTRIBUTE_READ_ONLY},
	[DISK_ROOT_B] = {"_empty", "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709", ATTRIBUTE_READ_ONLY},
	[DISK_VERITY_B] = {"_empty", "2C7357ED-EBD2-46D9-AEC1-23D437EC2BF5", ATTRIBUTE_READ_ONLY},
	[DISK_STATE] = {"state", "4D21B016-B534-45C2-A9FB-5C16E091FD2D", ATTRIBUTE_GROW},
};

static void format_guid(const uint8_t bytes[16], char guid[37])
{
	size_t at = 0;

	for (size_t i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			guid[at++] = '-';
		snprintf(guid + at, 3, "%02X", bytes[i]);
		at += 2;
	}
}

/* A GUID for what VERSION and ROLE name, in the form of a random one (RFC 9562). */
static int derive_guid(const char *version, const char *role, char guid[37])
{
	uint8_t digest[32];
	unsigned len = sizeof digest;
	char text[200];

	snprintf(text, sizeof text, "keelson %s %s", version, role);
	if (!EVP_Digest(text, strlen(text), digest, &len, EVP_sha256(), NULL))
		return -EIO;
	digest[6] = (uint8_t)((digest[6] & 0x0f) | 0x40);
	digest[8] = (uint8_t)((digest[8] & 0x3f) | 0x80);
	format_guid(digest, guid);
	return 0;
}

/* A version becomes a partition label and a name on the ESP, where '+' starts the boot counter. */
int disk_version_check(const char *version, struct err *err)
{
	size_t len = strlen(version), room = sizeof(((struct disk_partition *)0)->label) - 1 - strlen(LABEL_PREFIX);

	if (!len || len > room)
		return err_set(err, EINVAL, "version \"%s\": expected 1 to %zu characters, found %zu", version, room,
			       len);
	for (size_t i = 0; version[i]; i++)
		if (!isalnum((unsigned char)version[i]) && !strchr("._-~^", version[i]))
			return err_set(err, EINVAL, "version \"%s\": expected letters, digits and ._-~^, found '%c'",
				       version, version[i]);
	return 0;
}

static int check_sizes(const struct disk_description *d, struct err *err)
{
	const struct {
		const char *name;
		uint64_t bytes;
	} sizes[] = {
		{"disk", d->disk_bytes}, {"esp", d->esp_bytes}, {"root", d->root_bytes}, {"verity", d->verity_bytes}};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].bytes % MIB || sizes[i].bytes > (uint64_t)1 << 50)
			return err_set(err, EINVAL, "%s: expected a multiple of 1 MiB up to 1 PiB, found %llu bytes",
				       sizes[i].name, (unsigned long long)sizes[i].bytes);
	if (d->root_used > d->root_bytes)
		return err_set(err, ENOSPC, "root of %llu bytes is larger than its slot of %llu",
			       (unsigned long long)d->root_used, (unsigned long long)d->root_bytes);
	if (d->verity_used > d->verity_bytes)
		return err_set(err, ENOSPC, "verity tree of %llu bytes is larger than its slot of %llu",
			       (unsigned long long)d->verity_used, (unsigned long long)d->verity_bytes);
	return 0;
}

/* Partitions follow each other from 1 MiB on; the last MiB is left to the backup table. */
static int place_partitions(const struct disk_description *d, struct disk_plan *plan, struct err *err)
{
	const uint64_t bytes[DISK_STATE] = {MIB,	   d->esp_bytes,   d->root_bytes, d->verity_bytes,
					    d->root_bytes, d->verity_bytes};
	uint64_t at = MIB;

	for (unsigned i = 0; i < DISK_STATE; i++) {
		plan->partitions[i].first = at / DISK_SECTOR;
		plan->partitions[i].sectors = bytes[i] / DISK_SECTOR;
		at += bytes[i];
	}
	if (d->disk_bytes < at + STATE_MIN + MIB)
		return err_set(err, ENOSPC, "disk of %llu bytes: expected at least %llu for these partitions",
			       (unsigned long long)d->disk_bytes, (unsigned long long)(at + STATE_MIN + MIB));
	plan->partitions[DISK_STATE].first = at / DISK_SECTOR;
	plan->partitions[DISK_STATE].sectors = (d->disk_bytes - MIB - at) / DISK_SECTOR;
	return 0;
}

static int name_partitions(const struct disk_description *d, struct disk_plan *plan, struct err *err)
{
	int r = derive_guid(d->version, "disk", plan->guid);

	for (unsigned i = 0; !r && i < DISK_PARTITIONS; i++) {
		struct disk_partition *p = &plan->partitions[i];
		char role[16];

		snprintf(p->label, sizeof p->label, "%s%s", rows[i].label ? rows[i].label : LABEL_PREFIX,
			 rows[i].label ? "" : d->version);
		strcpy(p->type, rows[i].type);
		p->attributes = rows[i].attributes;
		snprintf(role, sizeof role, "partition %u", i + 1);
		if (i == DISK_ROOT_A)
			format_guid(d->root_hash, p->uuid);
		else if (i == DISK_VERITY_A)
			format_guid(d->root_hash + 16, p->uuid);
		else
			r = derive_guid(d->version, role, p->uuid);
	}
	return r ? err_set(err, -r, "sha256 failed") : 0;
}

int plan_disk(const struct disk_description *description, struct disk_plan *plan, struct err *err)
{
	struct disk_description d = *description;
	int r;

	*plan = (struct disk_plan){0};
	d.disk_bytes = d.disk_bytes ? d.disk_bytes : 6 * GIB;
	d.esp_bytes = d.esp_bytes ? d.esp_bytes : GIB;
	d.root_bytes = d.root_bytes ? d.root_bytes : GIB;
	d.verity_bytes = d.verity_bytes ? d.verity_bytes : 16 * MIB;
	r = disk_version_check(d.version, err);
	if (!r)
		r = check_sizes(&d, err);
	if (!r)
		r = place_partitions(&d, plan, err);
	if (!r)
		r = name_partitions(&d, plan, err);
	plan->sectors = d.disk_bytes / DISK_SECTOR;
	return r ? err_wrap(err, r, "plan the disk") : 0;
}

int describe_disk(const struct disk_plan *plan, struct buf *text)
{
	int r = buf_addf(text, "disk %s, %llu sectors\n\n%-2s %-10s %-10s %-16s %-36s %-36s %s\n", plan->guid,
			 (unsigned long long)plan->sectors, "#", "first", "sectors", "attributes", "type", "uuid",
			 "label");

	for (unsigned i = 0; !r && i < DISK_PARTITIONS; i++) {
		const struct disk_partition *p = &plan->partitions[i];

		r = buf_addf(text, "%-2u %-10llu %-10llu %016llx %-36s %-36s %s\n", i + 1, (unsigned long long)p->first,
			     (unsigned long long)p->sectors, (unsigned long long)p->attributes, p->type, p->uuid,
			     p->label);
	}
	return r;
}
