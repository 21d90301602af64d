/* What the API server answers: a Node object, or the text of /readyz. */
#include "fuzz.h"

#include "cluster/node.h"

static void check(const char *message, size_t room)
{
	PROMISE(memchr(message, 0, room));
	for (const char *p = message; *p; p++)
		PROMISE((unsigned char)*p >= ' ');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len), unready[40];
	struct node_status status;
	json_t *node;

	json_object_seed(1);
	node_api_unready(text, unready, sizeof unready);
	PROMISE(memchr(unready, 0, sizeof unready));
	node = json_loadb((const char *)data, len, 0, NULL);
	node_status_read(node, "1f0fe4d1", &status);
	PROMISE(!status.ready || status.exists);
	check(status.message, sizeof status.message);
	json_decref(node);
	free(text);
	return 0;
}
