/* Write a JSON tree as YAML that a person reads: block style, keys in their order, quotes only where needed. */
#ifndef KEELSON_YAML_WRITE_H
#define KEELSON_YAML_WRITE_H

#include <jansson.h>

#include "lib/buf.h"

/* Append. Returns 0 or what buf_add says. */
int yaml_write(const json_t *tree, struct buf *buf);

#endif
