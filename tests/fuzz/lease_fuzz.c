/* A DHCP server's words: the variables of udhcpc, each ended by a NUL, then the plan and the files made from them. */
#include <string.h>

#include "network/network_files.h"
#include "network/rtnetlink.h"

struct variables {
	const char *at;
	size_t len;
};

/* NAME=value NUL NAME=value NUL … ; the last byte is a NUL. */
static const char *from_bytes(void *arg, const char *name)
{
	const struct variables *v = arg;
	size_t len = strlen(name);

	for (const char *p = v->at; p < v->at + v->len; p += strlen(p) + 1)
		if (!strncmp(p, name, len) && p[len] == '=')
			return p + len + 1;
	return NULL;
}

static void read_news(const uint8_t *data, size_t len)
{
	_Alignas(8) static char copy[4096];
	struct link_news news;
	size_t at = 0;

	len = len < sizeof copy ? len : sizeof copy;
	memcpy(copy, data, len);
	while (rtnl_next_news(copy, len, &at, &news) > 0)
		if (strlen(news.name) >= IFNAMSIZ)
			__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char copy[70001];
	struct variables variables = {copy, len + 1};
	struct network_view view = {0};
	struct link_plan plan;
	struct lease lease;
	struct buf out = {0};

	read_news(data, len);
	if (len >= sizeof copy)
		return 0;
	memcpy(copy, data, len);
	copy[len] = 0;
	if (lease_parse("bound", from_bytes, &variables, &lease, NULL) < 0)
		return 0;
	if (lease_check(&lease, sizeof lease) < 0)
		__builtin_trap();
	plan_link(&lease, 1024, &plan);
	plan_text(&plan, &out);
	view.leased[view.count++] = (struct leased){&lease, &plan};
	resolv_conf_text(&view, true, &out);
	if (strchr(lease.search, '\n') || network_json_text(&view, &out) < 0)
		__builtin_trap();
	buf_free(&out);
	return 0;
}
