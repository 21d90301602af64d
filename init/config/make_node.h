/* A document's values and the node's name as struct node_config, every default filled in. */
#ifndef KEELSON_MAKE_NODE_H
#define KEELSON_MAKE_NODE_H

#include "config/node_config.h"

/* Pure. The caller frees with node_config_free. */
int make_node_config(const json_t *values, const char *instance_id, const char *hostname, const char *source,
		     struct node_config **config, struct err *err);

#endif
