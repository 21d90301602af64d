/* The compiled table as PID 1 loads it. Length and checksum are made right, so that what lies behind them is reached;
 * then every string and every switch of a table that was taken is read. */
#include "fuzz.h"

#include "lib/service_table.h"

#define HEADER 24

static uint32_t crc32(const uint8_t *data, size_t len)
{
	uint32_t crc = 0xffffffffu;

	while (len--) {
		crc ^= *data++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
	}
	return ~crc;
}

static size_t read_words(const struct service *s, struct words words)
{
	size_t sum = 0;

	for (unsigned k = 0; k < words.count; k++)
		sum += strlen(service_word(s, words, k));
	return sum;
}

static void read_all(const struct service_set *set)
{
	volatile size_t sum = 0;

	for (unsigned i = 0; i < set->count; i++) {
		const struct service *s = &set->services[i];
		const struct words lists[] = {s->description,
					      s->user,
					      s->exec_start,
					      s->environment,
					      s->environment_files,
					      s->conditions,
					      s->working_directory,
					      s->read_only_paths,
					      s->ready,
					      s->liveness,
					      s->before_shutdown};

		for (unsigned k = 0; k < sizeof lists / sizeof lists[0]; k++)
			sum = sum + read_words(s, lists[k]);
		sum = sum + s->story + s->remain_after_exit + s->no_new_privileges + s->private_network +
		      s->private_ipc + s->private_tmp + s->bound_capabilities;
		for (unsigned d = set->count; d < SERVICES_MAX; d++)
			PROMISE(!mask_has(&s->after, d) && !mask_has(&s->requires, d) && !mask_has(&s->wants, d));
		PROMISE(service_find(set, s->name) >= 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct service_set set;
	struct err err = {""};
	uint8_t *copy = fuzz_copy(data, len, 0);

	service_table_decode(data, len, &set, NULL); /* as it is */
	if (len >= HEADER) {
		fuzz_put32(copy + 16, (uint32_t)(len - HEADER));
		fuzz_put32(copy + 20, crc32(copy + HEADER, len - HEADER));
	}
	if (service_table_decode(copy, len, &set, &err) == 0)
		read_all(&set);
	else
		PROMISE(!set.count && err.text[0]);
	free(copy);
	return 0;
}
