/* A lock file that a person edited or a merge left: errors name file and line; what was taken comes back unchanged. */
#include "fuzz.h"

#include "packages/lock.h"

static void check_digests(const struct package_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		PROMISE(memchr(set->items[i].sha256, 0, DIGEST_TEXT) && strlen(set->items[i].sha256) == 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct package_set set = {0}, again = {0};
	struct buf lines = {0}, moved = {0};
	char *text = fuzz_string(data, len);
	struct err err = {""};

	if (lock_parse("a.lock", text, &set, &err) < 0) {
		PROMISE(!strncmp(err.text, "a.lock:", 7));
	} else {
		check_digests(&set);
		PROMISE(!lock_render(&set, &lines) && !lock_parse("b.lock", buf_string(&lines), &again, &err));
		PROMISE(!lock_diff(&set, &again, &moved));
		if (again.count)
			again.items[0].sha256[0] ^= 1;
		PROMISE(lock_diff(&set, &again, &moved) == (again.count > 0));
		package_set_free(&again);
		PROMISE(lock_diff(&set, &again, &moved) == (int)set.count);
		PROMISE(lock_diff(&again, &set, &moved) == (int)set.count);
	}
	buf_free(&lines);
	buf_free(&moved);
	package_set_free(&set);
	package_set_free(&again);
	free(text);
	return 0;
}
