/* Labels, serial numbers and models, which whoever made the disk chose: each becomes one file name. A line for each. */
#include "fuzz.h"

#include "storage/device_names.h"

static void check(const char *name)
{
	PROMISE(*name && strlen(name) < LINK_NAME_MAX && !strchr(name, '/') && strcmp(name, ".") && strcmp(name, ".."));
	for (const char *p = name; *p; p++)
		PROMISE((unsigned char)*p > ' ' && *p != 127);
}

static void take(char *to, size_t room, char **lines)
{
	const char *line = strsep(lines, "\n");

	snprintf(to, room, "%s", line ? line : "");
}

static void name_disk(struct disk_identity *disk, char *lines)
{
	char name[LINK_NAME_MAX];

	take(disk->name, sizeof disk->name, &lines);
	take(disk->serial, sizeof disk->serial, &lines);
	take(disk->model, sizeof disk->model, &lines);
	take(disk->nvme_serial, sizeof disk->nvme_serial, &lines);
	take(disk->wwid, sizeof disk->wwid, &lines);
	take(disk->dm_name, sizeof disk->dm_name, &lines);
	take(disk->dm_uuid, sizeof disk->dm_uuid, &lines);
	take(disk->path, sizeof disk->path, &lines);
	disk->ata_port = lines && *lines == '2' ? 2 : 0;
	for (unsigned i = 0; id_name(disk, i, name); i++)
		check(name);
	path_name(disk, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct disk_identity *disk = calloc(1, sizeof *disk); /* its end is watched */
	char *text = fuzz_string(data, len), name[LINK_NAME_MAX];

	PROMISE(disk);
	if (escape_label(text, name))
		check(name);
	plain_serial(text, name);
	PROMISE(strlen(name) < LINK_NAME_MAX && !strchr(name, '/'));
	name_disk(disk, text);
	free(text);
	free(disk);
	return 0;
}
