/* The kernel's news of links. */
#include "fuzz.h"

#include "network/rtnetlink.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *copy = fuzz_copy(data, len, 0); /* aligned, as a receive buffer is */
	struct link_news news;
	size_t at = 0, before = 0;

	while (rtnl_next_news(copy, len, &at, &news) > 0) {
		PROMISE(at > before && memchr(news.name, 0, sizeof news.name));
		before = at;
	}
	free(copy);
	return 0;
}
