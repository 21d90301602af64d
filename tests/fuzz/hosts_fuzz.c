/* /etc/hosts as a user wrote it: other lines stay, ours is there once however often it is written. */
#include "fuzz.h"

#include "network/network_files.h"

#define NODE_IP 0x0a00020f

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct buf once = {0}, twice = {0};
	char *old = fuzz_string(data, len);

	hosts_text(old, NODE_IP, "node-1", &once);
	hosts_text(once.data, NODE_IP, "node-1", &twice);
	PROMISE(once.len == twice.len && !memcmp(once.data, twice.data, once.len));
	PROMISE(once.data[once.len - 1] == '\n' && strstr(once.data, "10.0.2.15 node-1"));
	buf_free(&once);
	buf_free(&twice);
	free(old);
	return 0;
}
