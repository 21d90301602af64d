/* What has to change in the partition table at this boot. */
#ifndef KEELSON_PLAN_TABLE_H
#define KEELSON_PLAN_TABLE_H

#include "storage/partition_table.h"

/* The smallest disk that is promised to work: both slots, the ESP, and room for etcd and images. */
#define SMALLEST_DISK ((uint64_t)6 << 30)

struct table_plan {
	bool nothing;							 /* the table stays as it is */
	bool grow;							 /* state gets a new end */
	bool new_ids;							 /* disk, ESP and state get new UUIDs */
	bool new_attributes;						 /* state gets the attributes below */
	bool disk_is_small;						 /* below SMALLEST_DISK: told, not refused */
	unsigned state, esp;						 /* partition numbers; esp 0: there is none */
	uint64_t first, last, attributes;				 /* of state, after the change */
	char disk_id[UUID_TEXT], esp_id[UUID_TEXT], state_id[UUID_TEXT]; /* the new ones, where new_ids */
};

/* first_boot   state was never formatted
 * random       48 random bytes, for three UUIDs
 * returns      0, or a negative errno when there is no state partition or more than one */
int plan_table(const struct table *table, bool first_boot, const unsigned char random[48], struct table_plan *plan,
	       struct err *err);

/* Say in the table that state is in use; plan->nothing when it does so already. */
int plan_mark(const struct table *table, struct table_plan *plan, struct err *err);

#endif
