/* Read a GPT through libfdisk, which takes the backup where the primary is damaged. */
#include "storage/partition_table.h"

#include <errno.h>
#include <libfdisk/libfdisk.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"

static void drop_context(struct fdisk_context **context)
{
	fdisk_unref_context(*context);
}

static void drop_table(struct fdisk_table **table)
{
	fdisk_unref_table(*table);
}

static void copy_uuid(char to[UUID_TEXT], const char *from)
{
	snprintf(to, UUID_TEXT, "%s", from ? from : "");
}

static void take_partition(struct fdisk_context *context, struct table *table, struct fdisk_partition *from)
{
	struct fdisk_parttype *type = fdisk_partition_get_type(from);
	struct partition *to;

	if (table->count == PARTITIONS_MAX || !fdisk_partition_has_partno(from) || !fdisk_partition_has_start(from) ||
	    !fdisk_partition_has_size(from))
		return;
	to = &table->partitions[table->count++];
	to->number = (unsigned)fdisk_partition_get_partno(from) + 1;
	to->first = fdisk_partition_get_start(from);
	to->last = fdisk_partition_get_end(from);
	(void)fdisk_gpt_get_partition_attrs(context, to->number - 1, &to->attributes);
	copy_uuid(to->type, type ? fdisk_parttype_get_string(type) : NULL);
	copy_uuid(to->uuid, fdisk_partition_get_uuid(from));
}

static int take_all(struct fdisk_context *context, struct table *table)
{
	_cleanup_(drop_table) struct fdisk_table *list = NULL;
	_cleanup_free_ char *id = NULL;
	int r = fdisk_get_partitions(context, &list);

	if (r < 0)
		return r;
	r = fdisk_get_disklabel_id(context, &id);
	if (r < 0)
		return r;
	copy_uuid(table->disk_id, id);
	table->sector_size = (unsigned)fdisk_get_sector_size(context);
	table->sectors = fdisk_get_nsectors(context);
	table->needs_write = fdisk_label_is_changed(fdisk_get_label(context, NULL));
	for (size_t i = 0; i < fdisk_table_get_nents(list); i++)
		take_partition(context, table, fdisk_table_get_partition(list, i));
	return 0;
}

int table_read(const char *disk, struct table *table, struct err *err)
{
	_cleanup_(drop_context) struct fdisk_context *context = fdisk_new_context();
	int r;

	memset(table, 0, sizeof *table);
	if (!context)
		return err_set(err, ENOMEM, "read the partition table of %s: out of memory", disk);
	/* Not read-only: only then does libfdisk say that a backup in the wrong place would be moved by a write. */
	r = fdisk_assign_device(context, disk, 0);
	if (r < 0)
		return err_set(err, -r, "open %s: %s", disk, strerror(-r));
	if (!fdisk_is_labeltype(context, FDISK_DISKLABEL_GPT))
		r = err_set(err, EINVAL, "%s: expected a GPT, found %s", disk,
			    fdisk_has_label(context) ? "another partition table" : "no partition table");
	else if ((r = take_all(context, table)) < 0)
		r = err_set(err, -r, "read the partition table of %s: %s", disk, strerror(-r));
	fdisk_deassign_device(context, 1);
	return r;
}

int table_find(const struct table *table, const char *type, const struct partition **found, struct err *err)
{
	*found = NULL;
	for (size_t i = 0; i < table->count; i++) {
		const struct partition *p = &table->partitions[i];

		if (strcmp(p->type, type))
			continue;
		if (*found)
			return err_set(err, ENOTUNIQ,
				       "expected one partition of type %s, found number %u and number %u", type,
				       (*found)->number, p->number);
		*found = p;
	}
	return *found ? 0 : err_set(err, ENOENT, "expected one partition of type %s, found none", type);
}
