/* A tree as a tar archive: sorted by path, numeric owners, one time, so that the same tree gives the same bytes. */
#ifndef KEELSON_TREE_TAR_H
#define KEELSON_TREE_TAR_H

#include <stdint.h>

#include "lib/err.h"
#include "root/tree.h"

/* Written to OUTPUT, replaced atomically. */
int tree_tar(const struct tree *tree, int64_t time, const char *output, struct err *err);

#endif
