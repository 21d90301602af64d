/* Check and repair the file system of the state partition before it is mounted. */
#ifndef KEELSON_CHECK_STATE_H
#define KEELSON_CHECK_STATE_H

#include <stdbool.h>

#include "lib/err.h"

enum check_result { CHECK_CLEAN, CHECK_CORRECTED, CHECK_UNCORRECTED, CHECK_FAILED };

/* Pure: what an exit status of e2fsck means (e2fsck(8)). */
enum check_result judge_e2fsck(int status);

/* First what is safe without a person (-p), then everything (-y); each bounded, and told while it lasts.
 * repaired  set when -p did not do
 * returns   0 when the file system may be mounted */
int check_state(const char *device, bool *repaired, struct err *err);

#endif
