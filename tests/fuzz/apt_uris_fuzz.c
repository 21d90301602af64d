/* What apt prints of the packages it would fetch: what was taken can be written to a lock file and read back. */
#include "fuzz.h"

#include "packages/apt.h"
#include "packages/lock.h"

static void check_lock(const struct package_set *set)
{
	struct package_set locked = {0};
	struct buf text = {0}, moved = {0};
	struct err err = {""};

	PROMISE(!lock_render(set, &text));
	PROMISE(!lock_parse("lock", buf_string(&text), &locked, &err) && locked.count == set->count);
	PROMISE(!lock_diff(&locked, set, &moved));
	buf_free(&text);
	buf_free(&moved);
	package_set_free(&locked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len);
	struct package_set set = {0};
	struct err err = {""};

	if (apt_parse_uris(text, &set, &err) < 0)
		PROMISE(err.text[0]);
	else
		check_lock(&set);
	for (size_t i = 0; i < set.count; i++)
		PROMISE(set.items[i].file && !strchr(set.items[i].file, '/') && strlen(set.items[i].sha256) == 64);
	package_set_free(&set);
	free(text);
	return 0;
}
