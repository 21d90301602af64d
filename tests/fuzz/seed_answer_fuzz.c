/* What the confined reader of a seed answers: it is not believed, since whoever broke the reader writes it. Whatever
 * shape its values have, they make a node's configuration or are refused. */
#include "fuzz.h"

#include "config/make_node.h"
#include "config/seed.h"
#include "lib/cleanup.h"

static void make_node(const struct seed *seed)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	struct err err = {""};
	int r = make_node_config(seed->values, seed->instance_id, "node-1", "fuzzing", &config, &err);

	PROMISE((r == 0) == (config != NULL));
	PROMISE(!r || err.text[0]);
	if (!r)
		PROMISE(config->cluster.name && config->cluster.pod_cidr && role_name(config->role));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	_cleanup_(seed_free) struct seed seed = {0};
	struct buf answer = {.data = (char *)(uintptr_t)data, .len = len};
	struct err err = {""};

	json_object_seed(1);
	if (seed_take_answer(&answer, &seed, &err) < 0) {
		PROMISE(err.text[0]);
		return 0;
	}
	PROMISE(seed.errors || (seed.instance_id && seed.text && json_is_object(seed.values)));
	if (!seed.errors)
		make_node(&seed);
	return 0;
}
