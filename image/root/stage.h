/* The tree as a directory, for the programs that read one: depmod, mkfs.erofs, mksquashfs. */
#ifndef KEELSON_STAGE_H
#define KEELSON_STAGE_H

#include "lib/err.h"
#include "root/tree.h"

/* Make DIRECTORY anew with all that is in the tree, owned by the caller. Contents that come from the cache are hard
 * links where that is possible: nothing may write into them. */
int stage_tree(const struct tree *tree, const char *directory, struct err *err);

/* Remove a directory and what is in it; no error when there is none. */
int remove_tree(const char *directory, struct err *err);

#endif
