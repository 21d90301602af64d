/* Build JSON trees without a check at every step. */
#include "cluster/json_build.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void json_out_of_memory(void)
{
	fputs("keelson: out of memory\n", stderr);
	exit(1);
}

json_t *json_must(json_t *value)
{
	if (!value)
		json_out_of_memory();
	return value;
}

json_t *json_text(const char *format, ...)
{
	json_t *value;
	va_list args;

	va_start(args, format);
	value = json_vsprintf(format, args);
	va_end(args);
	return json_must(value);
}

void json_put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, json_must(value)) < 0)
		json_out_of_memory();
}

void json_put_text(json_t *object, const char *key, const char *format, ...)
{
	json_t *value;
	va_list args;

	va_start(args, format);
	value = json_vsprintf(format, args);
	va_end(args);
	json_put(object, key, value);
}

void json_push(json_t *array, json_t *value)
{
	if (json_array_append_new(array, json_must(value)) < 0)
		json_out_of_memory();
}

void json_merge(json_t *base, const json_t *overlay)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)overlay, key, value) {
		json_t *under = json_object_get(base, key);

		if (json_is_object(under) && json_is_object(value))
			json_merge(under, value);
		else
			json_put(base, key, json_deep_copy(value));
	}
}
