/* The arguments of a component: an object from flag to value, later printed in order as --flag=value. */
#ifndef KEELSON_CLUSTER_ARGUMENTS_H
#define KEELSON_CLUSTER_ARGUMENTS_H

#include <jansson.h>

#include "cluster/version_table.h"

struct argument {
	const char *flag, *value;
};

/* Fixed ones; the table ends with {NULL, NULL}. */
void arguments_add(json_t *arguments, const struct argument *table);

/* One flag, where this version has it. */
void arguments_add_versioned(json_t *arguments, const struct kubernetes_version *version, enum version_feature feature,
			     const char *value);

/* [program, --a=1, --b=2, …]: the user's extra arguments replace ours of the same name; sorted, as kubeadm does. */
json_t *arguments_command(const char *program, json_t *arguments, const json_t *extra);

#endif
