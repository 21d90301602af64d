#include "storage/plan_table.h"

#include "lib/buf.h"
#include "unit/test.h"

#define MIB 2048ull /* sectors of 512 bytes */
#define GIB (1024 * MIB)
#define TYPE_ROOT "4F68BCE3-E8CD-4DB1-96E7-FBCAF984B709"

static const unsigned char random_bytes[48] = "0123456789abcdefABCDEFGHIJKLMNOPqrstuvwxyz!#$%&*";

static void put(struct table *t, unsigned number, uint64_t first, uint64_t last, const char *type)
{
	struct partition *p = &t->partitions[t->count++];

	*p = (struct partition){.number = number, .first = first, .last = last};
	snprintf(p->type, sizeof p->type, "%s", type);
}

/* The image's layout on a disk of so many sectors. */
static struct table image(uint64_t sectors)
{
	struct table t = {.sector_size = 512, .sectors = sectors};

	put(&t, 2, 4 * MIB, GIB - 1, TYPE_ESP);
	put(&t, 3, GIB, 3 * GIB - 1, TYPE_ROOT);
	put(&t, 7, 3 * GIB, 3 * GIB + 64 * MIB - 1, TYPE_STATE);
	return t;
}

static void print(struct buf *out, const char *title, const struct table *t, bool first_boot)
{
	struct table_plan p;
	struct err err;
	int r = plan_table(t, first_boot, random_bytes, &p, &err);

	buf_addf(out, "%s:\n", title);
	if (r < 0) {
		buf_addf(out, "  error %s\n", err.text);
		return;
	}
	buf_addf(out, "  %s, state %u: sectors %llu to %llu, ends at MiB %llu%s\n", p.nothing ? "nothing" : "write",
		 p.state, (unsigned long long)p.first, (unsigned long long)p.last,
		 (unsigned long long)((p.last + 1) / (1048576 / t->sector_size)), p.grow ? ", grown" : "");
	if (p.disk_is_small)
		buf_add_string(out, "  the disk is small\n");
	if (p.new_attributes)
		buf_addf(out, "  attributes of state %llx\n", (unsigned long long)p.attributes);
	if (p.new_ids)
		buf_addf(out, "  disk %s\n  esp %u %s\n  state %s\n", p.disk_id, p.esp, p.esp_id, p.state_id);
}

static void the_table_is_changed_as_a_person_would(void **state)
{
	struct buf out = {0};
	struct table t;
	(void)state;

	t = image(12 * GIB);
	print(&out, "first boot on 12 GiB", &t, true);
	print(&out, "the same disk, state formatted before", &t, false);
	t.partitions[2].last = 12 * GIB - MIB - 1;
	print(&out, "grown already", &t, false);
	t.needs_write = true;
	print(&out, "grown already, backup table damaged", &t, false);
	t.needs_write = false;
	t.partitions[2].attributes = (uint64_t)1 << 59 | ATTRIBUTE_IN_USE;
	print(&out, "given up by a person, to be formatted anew", &t, true);
	t = image(3 * GIB + 65 * MIB);
	print(&out, "a disk of exactly the image's size", &t, false);
	t = image(3 * GIB + 65 * MIB + 2 * MIB + 7);
	print(&out, "2 MiB and 7 sectors larger", &t, false);
	t = image(12 * GIB);
	put(&t, 8, 8 * GIB, 9 * GIB - 1, TYPE_ROOT);
	print(&out, "somebody's partition behind", &t, false);
	t = image(12 * GIB);
	t.count = 2;
	print(&out, "no state", &t, true);
	t = image(12 * GIB);
	put(&t, 9, 8 * GIB, 9 * GIB - 1, TYPE_STATE);
	print(&out, "two of them", &t, true);
	t = (struct table){.sector_size = 4096, .sectors = 12 * GIB / 8};
	put(&t, 7, 3 * GIB / 8, (3 * GIB + 64 * MIB) / 8 - 1, TYPE_STATE);
	print(&out, "sectors of 4096 bytes, no ESP", &t, true);
	assert_golden("storage/plan_table.txt", buf_string(&out));
	buf_free(&out);
}

static void a_partition_behind_the_last_limits_nothing(void **state)
{
	struct table t = image(12 * GIB);
	struct table_plan p;
	(void)state;

	put(&t, 8, 8 * GIB, 9 * GIB - 1, TYPE_ROOT);
	t.count--;
	assert_int_equal(plan_table(&t, false, random_bytes, &p, NULL), 0);
	assert_int_equal(p.last, 12 * GIB - MIB - 1);
}

static void a_disk_of_6_gib_is_not_small(void **state)
{
	struct table t = image(6 * GIB);
	struct table_plan p;
	(void)state;

	assert_int_equal(plan_table(&t, false, random_bytes, &p, NULL), 0);
	assert_false(p.disk_is_small);
	t.sectors--;
	assert_int_equal(plan_table(&t, false, random_bytes, &p, NULL), 0);
	assert_true(p.disk_is_small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_changed_as_a_person_would),
		cmocka_unit_test(a_partition_behind_the_last_limits_nothing),
		cmocka_unit_test(a_disk_of_6_gib_is_not_small),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
