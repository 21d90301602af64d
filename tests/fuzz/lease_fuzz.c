/* A DHCP server's words: the variables of udhcpc, each ended by a NUL; and the same handed on as a struct by a program
 * that is not believed ('L' and the struct). What was taken becomes a plan, and files. */
#include "fuzz.h"

#include "network/network_files.h"

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

static void use(const struct lease *lease)
{
	struct network_view view = {0};
	struct link_plan plan, again;
	struct buf out = {0};

	plan_link(lease, 1024, &plan);
	plan_link(lease, 1024, &again);
	PROMISE(same_plan(&plan, &again) && plan.route_count <= LEASE_ROUTES + 1);
	plan_text(&plan, &out);
	view.leased[view.count++] = (struct leased){lease, &plan};
	resolv_conf_text(&view, true, &out);
	network_json_text(&view, &out);
	buf_free(&out);
}

static void take_struct(const uint8_t *data, size_t len)
{
	struct lease *lease = fuzz_copy(data, len, len < sizeof *lease ? sizeof *lease - len : 0);

	if (lease_check(lease, len) == 0)
		use(lease);
	if (len >= sizeof *lease) {
		lease->size = sizeof *lease; /* what a fuzzer cannot guess */
		lease->event = LEASE_BOUND;
		if (lease_check(lease, sizeof *lease) == 0)
			use(lease);
	}
	free(lease);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct variables variables = {NULL, len + 1};
	struct lease lease;
	struct err err = {""};
	const char *event;
	char *copy;

	if (len && data[0] == 'L') {
		take_struct(data + 1, len - 1);
		return 0;
	}
	copy = fuzz_copy(data, len, 1);
	variables.at = copy;
	event = from_bytes(&variables, "event");
	if (lease_parse(event ? event : "bound", from_bytes, &variables, &lease, &err) < 0) {
		PROMISE(err.text[0]);
	} else {
		PROMISE(!lease_check(&lease, sizeof lease) && !strchr(lease.search, '\n'));
		use(&lease);
	}
	free(copy);
	return 0;
}
