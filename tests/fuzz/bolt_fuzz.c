/* containerd's database after a power cut. The checksum of both meta pages is made right first, so that what lies
 * behind it is reached. */
#include "fuzz.h"

#include "cluster/bolt_check.h"

#define META 16	  /* offset in its page */
#define SUMMED 56 /* bytes of it */

static void make_checksum_right(uint8_t *meta)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < SUMMED; i++)
		hash = (hash ^ meta[i]) * UINT64_C(1099511628211);
	for (size_t i = 0; i < 8; i++)
		meta[SUMMED + i] = (uint8_t)(hash >> 8 * i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = fuzz_copy(data, len, 0);
	struct err err = {""};

	for (size_t page = 1024; page <= 4096; page *= 2)
		for (size_t i = 0; i < 2 && len >= 2 * page; i++)
			if (copy[i * page + META + 8] == (uint8_t)page && copy[i * page + META + 9] == page >> 8)
				make_checksum_right(copy + i * page + META);
	if (bolt_check(copy, len, &err) < 0)
		PROMISE(err.text[0]);
	free(copy);
	return 0;
}
