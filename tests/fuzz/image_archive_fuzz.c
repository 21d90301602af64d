/* An archive of container images: the names in it become arguments of a program. */
#include "fuzz.h"

#include <jansson.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cluster/images.h"
#include "lib/file.h"

static void check(const struct string_list *names)
{
	for (size_t i = 0; i < names->count; i++) {
		PROMISE(names->items[i][0] && names->items[i][0] != '-' && strlen(names->items[i]) < 511);
		for (const char *p = names->items[i]; *p; p++)
			PROMISE(*p > ' ' && *p <= '~');
	}
}

static void read_archive(const uint8_t *data, size_t len)
{
	struct image_archive archive;
	struct err err = {""};
	char path[40];
	int fd = memfd_create("archive", MFD_CLOEXEC);

	PROMISE(fd >= 0 && !write_all(fd, data, len));
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (image_archive_read(path, &archive, &err) < 0)
		PROMISE(err.text[0]);
	else
		PROMISE(archive.names.count && strlen(archive.id) == 64);
	check(&archive.names);
	image_archive_free(&archive);
	close(fd);
}

/* The index alone, as it would lie in an archive: a '[' begins a docker archive's, a '{' an OCI layout's. */
static void read_index(const uint8_t *data, size_t len)
{
	struct image_archive archive = {.id = ""};
	char *json = fuzz_string(data, len);

	if (*json == '[')
		image_names_of_manifest(json, &archive.names, NULL);
	else
		image_names_of_index(json, &archive.names, NULL);
	check(&archive.names);
	image_archive_free(&archive);
	free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	json_object_seed(1);
	if (len && (data[0] == '[' || data[0] == '{'))
		read_index(data, len);
	else
		read_archive(data, len);
	return 0;
}
