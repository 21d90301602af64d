/* The arguments of a component: defaults, what this version has, and the user's on top. Pure. */
#include "cluster/arguments.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/json_build.h"

void arguments_add(json_t *arguments, const struct argument *table)
{
	for (; table->flag; table++)
		json_put_text(arguments, table->flag, "%s", table->value);
}

void arguments_add_versioned(json_t *arguments, const struct kubernetes_version *version, enum version_feature feature,
			     const char *value)
{
	if (version_has(version, feature))
		json_put_text(arguments, version_feature_name(feature), "%s", value);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void push_sorted(json_t *command, json_t *arguments)
{
	size_t count = json_object_size(arguments), n = 0;
	const char **flags = calloc(count + 1, sizeof *flags);
	const char *flag;
	json_t *value;

	if (!flags)
		json_out_of_memory();
	json_object_foreach (arguments, flag, value)
		flags[n++] = flag;
	qsort(flags, n, sizeof *flags, by_name);
	for (size_t i = 0; i < n; i++)
		json_push(command,
			  json_text("--%s=%s", flags[i], json_string_value(json_object_get(arguments, flags[i]))));
	free(flags);
}

json_t *arguments_command(const char *program, json_t *arguments, const json_t *extra)
{
	json_t *command = json_must(json_array());
	const char *flag;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)extra, flag, value)
		if (json_is_string(value))
			json_put_text(arguments, flag + (strncmp(flag, "--", 2) ? 0 : 2), "%s",
				      json_string_value(value));
	json_push(command, json_text("%s", program));
	push_sorted(command, arguments);
	return command;
}
