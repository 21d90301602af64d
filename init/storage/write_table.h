/* Carry out a plan for the partition table of a disk that is in use. */
#ifndef KEELSON_WRITE_TABLE_H
#define KEELSON_WRITE_TABLE_H

#include "storage/plan_table.h"

/* On any error the table on the disk is as it was. */
int write_table(const char *disk, const struct table *table, const struct table_plan *plan, struct err *err);

/* Tell the kernel the new size of state. It refuses to read a whole table again while a partition is in use.
 * On error the old size stays until the next boot. */
int resize_in_kernel(const char *disk, const struct table *table, const struct table_plan *plan, struct err *err);

#endif
