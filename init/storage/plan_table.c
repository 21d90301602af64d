/* Decide what the partition table needs: state grown to where it can end, and UUIDs of its own at the first boot.
 *
 * Clouds and people copy one image to many disks, of which each is larger than the image. The backup GPT then lies in
 * the middle of the disk, and two such disks in one machine carry the same UUIDs. Both are mended by one write.
 * Source: UEFI 2.10 section 5.3.2 (where the backup lies), RFC 4122 section 4.4 (random UUIDs).
 */
#include "storage/plan_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ALIGN_BYTES ((uint64_t)1 << 20)
#define ENTRIES_BYTES ((uint64_t)128 * 128)

/* The last sector that a partition starting at FIRST may have: before its neighbour, before the backup table, and at
 * the end of a MiB. */
static uint64_t furthest_end(const struct table *table, const struct partition *from)
{
	uint64_t tail = 1 + ENTRIES_BYTES / table->sector_size, align = ALIGN_BYTES / table->sector_size;
	uint64_t end = table->sectors > tail ? table->sectors - tail : 0;

	for (size_t i = 0; i < table->count; i++)
		if (table->partitions[i].first > from->first && table->partitions[i].first < end)
			end = table->partitions[i].first;
	end -= end % align;
	return end ? end - 1 : 0;
}

static void random_uuid(const unsigned char from[16], char to[UUID_TEXT])
{
	unsigned char u[16];

	memcpy(u, from, sizeof u);
	u[6] = (unsigned char)((u[6] & 0x0f) | 0x40);
	u[8] = (unsigned char)((u[8] & 0x3f) | 0x80);
	snprintf(to, UUID_TEXT, "%02X%02X%02X%02X-%02X%02X-%02X%02X-%02X%02X-%02X%02X%02X%02X%02X%02X", u[0], u[1],
		 u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

int plan_table(const struct table *table, bool first_boot, const unsigned char random[48], struct table_plan *plan,
	       struct err *err)
{
	const struct partition *state, *esp;
	int r = table_find(table, TYPE_STATE, &state, err);

	memset(plan, 0, sizeof *plan);
	if (r < 0)
		return err_wrap(err, r, "find the state partition");
	plan->state = state->number;
	plan->esp = table_find(table, TYPE_ESP, &esp, NULL) < 0 ? 0 : esp->number;
	plan->disk_is_small = table->sectors < SMALLEST_DISK / table->sector_size;
	plan->first = state->first;
	plan->last = furthest_end(table, state);
	plan->grow = plan->last > state->last;
	if (!plan->grow)
		plan->last = state->last;
	plan->new_ids = first_boot;
	plan->attributes = first_boot ? state->attributes & ~ATTRIBUTE_IN_USE : state->attributes;
	plan->new_attributes = plan->attributes != state->attributes;
	if (first_boot) {
		random_uuid(random, plan->disk_id);
		random_uuid(random + 16, plan->esp_id);
		random_uuid(random + 32, plan->state_id);
	}
	plan->nothing = !plan->grow && !plan->new_ids && !table->needs_write;
	return 0;
}

/* The mark lies apart from the file system, so that damage to its head does not take both. It is set once there is a
 * file system to lose, and taken away before one is made: a format that was cut is no damage. */
int plan_mark(const struct table *table, struct table_plan *plan, struct err *err)
{
	const struct partition *state;
	int r = table_find(table, TYPE_STATE, &state, err);

	memset(plan, 0, sizeof *plan);
	if (r < 0)
		return err_wrap(err, r, "find the state partition");
	plan->state = state->number;
	plan->attributes = state->attributes | ATTRIBUTE_IN_USE;
	plan->new_attributes = plan->attributes != state->attributes;
	plan->nothing = !plan->new_attributes;
	return 0;
}
