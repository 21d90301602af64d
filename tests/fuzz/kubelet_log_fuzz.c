/* Lines of the kubelet's log, one after the other: names in them are what users of the API call their pods. */
#include "fuzz.h"

#include "api/evictions.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct evictions evictions = {0};
	char *text = fuzz_string(data, len), *at = text, *line;
	struct buf out = {0};

	while ((line = strsep(&at, "\n"))) {
		unsigned before = evictions.count;
		bool evicted = evictions_take(&evictions, line);

		PROMISE(evictions.count == before + evicted);
		PROMISE(memchr(evictions.pod, 0, sizeof evictions.pod));
		PROMISE(memchr(evictions.resource, 0, sizeof evictions.resource));
		PROMISE(!strpbrk(evictions.pod, " \"\033\n") && !strpbrk(evictions.resource, " \"\033\n"));
		PROMISE(!evicted || strchr(evictions.pod, '/'));
	}
	PROMISE(!evictions_text(&evictions, &out) && !evictions.count == !out.len);
	buf_free(&out);
	free(text);
	return 0;
}
