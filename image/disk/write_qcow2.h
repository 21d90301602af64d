/* The raw disk as qcow2, by qemu-img. */
#ifndef KEELSON_WRITE_QCOW2_H
#define KEELSON_WRITE_QCOW2_H

#include <stdbool.h>

#include "lib/err.h"

/* Replaces OUTPUT atomically. compressed: smaller (the root is compressed already, so not by much), slower. */
int write_qcow2(const char *raw, const char *output, bool compressed, struct err *err);

#endif
