/* The directories of /var that everyone expects. */
#ifndef KEELSON_VAR_TREE_H
#define KEELSON_VAR_TREE_H

#include "lib/err.h"

/* Below the directory VAR ("/var"). What exists keeps its content; owner and mode are set right. */
int make_var_tree(const char *var, struct err *err);

#endif
