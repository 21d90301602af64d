/* The parser against a table that sfdisk (util-linux) wrote, and against damaged copies of it. */
#include "boot/gpt.h"

#include "lib/buf.h"
#include "lib/file.h"
#include "lib/hex.h"
#include "unit/test.h"

#define SECTOR 512
#define LAST (disk.len / SECTOR - 1)

static struct buf disk;
static struct gpt gpt;
static struct err err;

static int read_memory(void *context, uint64_t offset, void *data, size_t len)
{
	const struct buf *from = context;

	if (offset > from->len || len > from->len - offset)
		return -EIO;
	memcpy(data, from->data + offset, len);
	return 0;
}

static int fresh_disk(void **state)
{
	(void)state;
	buf_free(&disk);
	return file_read("tests/data/boot/sfdisk.gpt", 1 << 20, &disk, &err);
}

static int drop_disk(void **state)
{
	(void)state;
	buf_free(&disk);
	return 0;
}

static int parse(void)
{
	const struct gpt_source source = {read_memory, &disk, disk.len, SECTOR};

	return gpt_read(&source, &gpt, &err);
}

static void put32(size_t at, uint32_t value)
{
	for (size_t i = 0; i < 4; i++)
		disk.data[at + i] = (char)(value >> 8 * i);
}

static void put64(size_t at, uint64_t value)
{
	put32(at, (uint32_t)value);
	put32(at + 4, (uint32_t)(value >> 32));
}

/* Make the header's own checksum right again after a field was changed. */
static void seal(size_t sector)
{
	put32(sector * SECTOR + 16, 0);
	put32(sector * SECTOR + 16, gpt_crc32(0, disk.data + sector * SECTOR, 92));
}

static void a_table_of_sfdisk_is_read_as_sfdisk_shows_it(void **state)
{
	struct buf text = {0};
	char uuid[37], type[37];
	(void)state;

	assert_int_equal(parse(), 0);
	uuid_text(gpt.disk, uuid);
	buf_addf(&text, "disk %s, %zu partitions%s\n", uuid, gpt.count, gpt.from_backup ? ", from the backup" : "");
	for (size_t i = 0; i < gpt.count; i++) {
		const struct gpt_partition *p = &gpt.partitions[i];

		uuid_text(p->uuid, uuid);
		uuid_text(p->type, type);
		buf_addf(&text, "%u type=%s uuid=%s sectors=%llu-%llu attributes=%llx name=%s\n", p->number, type, uuid,
			 (unsigned long long)p->first, (unsigned long long)p->last, (unsigned long long)p->attributes,
			 p->name);
	}
	assert_golden("boot/sfdisk.gpt.txt", buf_string(&text));
	buf_free(&text);
}

static void a_partition_is_found_by_its_uuid(void **state)
{
	uint8_t uuid[16];
	(void)state;

	assert_int_equal(parse(), 0);
	assert_int_equal(uuid_bytes("3f9ac1d2-e3f4-0516-2738-495a6b7c8d9e", uuid), 0);
	assert_int_equal(gpt_find(&gpt, uuid)->number, 3);
	uuid[0] ^= 1;
	assert_null(gpt_find(&gpt, uuid));
}

static void a_flipped_bit_in_the_primary_header_means_the_backup(void **state)
{
	(void)state;
	disk.data[SECTOR + 60] ^= 1;
	assert_int_equal(parse(), 0);
	assert_true(gpt.from_backup);
	assert_string_equal(gpt.damage, "header checksum is wrong");
	assert_int_equal(gpt.count, 5);
}

static void a_flipped_bit_in_the_entries_means_the_backup(void **state)
{
	(void)state;
	disk.data[2 * SECTOR + 200] ^= 1;
	assert_int_equal(parse(), 0);
	assert_true(gpt.from_backup);
	assert_string_equal(gpt.damage, "checksum of the entries is wrong");
}

static void a_wiped_start_means_the_backup(void **state)
{
	(void)state;
	memset(disk.data, 0, 34 * SECTOR);
	assert_int_equal(parse(), 0);
	assert_true(gpt.from_backup);
	assert_string_equal(gpt.partitions[2].name, "keelson_0.1.0");
}

static void two_damaged_tables_are_an_error_that_names_both(void **state)
{
	(void)state;
	disk.data[SECTOR + 60] ^= 1;
	disk.data[LAST * SECTOR + 24] ^= 1;
	assert_int_equal(parse(), -EBADMSG);
	assert_string_equal(err.text,
			    "partition table: primary: header checksum is wrong; backup: header checksum is wrong");
	assert_int_equal(gpt.count, 0);
}

static void an_empty_disk_has_no_table(void **state)
{
	(void)state;
	memset(disk.data, 0, disk.len);
	assert_int_equal(parse(), -ENOENT);
	assert_string_equal(err.text, "no GUID partition table");
}

/* Each: a field of both headers set to a value that no honest table has, with right checksums. */
static void impossible_sizes_are_refused_before_they_are_used(void **state)
{
	static const struct {
		size_t field;
		int bytes;
		uint64_t value;
		const char *why;
	} bad[] = {
		{12, 4, 91, "header of 91 bytes"},
		{12, 4, 513, "header of 513 bytes"},
		{12, 4, UINT32_MAX, "header of 4294967295 bytes"},
		{80, 4, 0, "0 entries"},
		{80, 4, 1025, "1025 entries"},
		{80, 4, UINT32_MAX, "4294967295 entries"},
		{84, 4, 64, "entries of 64 bytes"},
		{84, 4, 8192, "entries of 8192 bytes"},
		{84, 4, UINT32_MAX, "entries of 4294967295 bytes"},
		{72, 8, UINT64_MAX, "outside of the disk"},
		{72, 8, 127, "outside of the disk"},
		{72, 8, 1, "outside of the disk"},
		{48, 8, 128, "last usable sector 128, the disk has 128"},
		{40, 8, UINT64_MAX, "last usable sector"},
		{24, 8, 7, "header says it lies in sector 7"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const size_t headers[] = {1, LAST};

		fresh_disk(state);
		for (size_t h = 0; h < 2; h++) {
			size_t at = headers[h] * SECTOR + bad[i].field;

			if (bad[i].bytes == 4)
				put32(at, (uint32_t)bad[i].value);
			else
				put64(at, bad[i].value);
			seal(headers[h]);
		}
		assert_int_equal(parse(), -EBADMSG);
		if (!strstr(err.text, bad[i].why))
			fail_msg("expected \"%s\", found \"%s\"", bad[i].why, err.text);
	}
}

static void a_partition_outside_of_the_usable_sectors_is_skipped(void **state)
{
	(void)state;
	put64(2 * SECTOR + 2 * 128 + 40, 5000);
	put32(SECTOR + 88, gpt_crc32(0, disk.data + 2 * SECTOR, 128 * 128));
	seal(1);
	assert_int_equal(parse(), 0);
	assert_int_equal(gpt.count, 4);
	assert_int_equal(gpt.partitions[2].number, 4);
}

static void a_disk_cut_anywhere_is_never_read_beyond_its_end(void **state)
{
	size_t whole = disk.len;
	(void)state;

	for (size_t len = 0; len < whole; len += 100) {
		int r;

		disk.len = len;
		r = parse();
		assert_true(r <= 0);
	}
	disk.len = whole;
}

static void a_disk_that_cannot_be_read_is_an_error_not_an_empty_disk(void **state)
{
	struct buf none = {0};
	const struct gpt_source source = {read_memory, &none, 1 << 20, SECTOR};
	(void)state;

	assert_int_equal(gpt_read(&source, &gpt, &err), -EIO);
	assert_non_null(strstr(err.text, "reading sector 1: "));
}

static void control_characters_in_a_name_reach_no_console(void **state)
{
	(void)state;
	disk.data[2 * SECTOR + 56] = 0x1b;
	put32(SECTOR + 88, gpt_crc32(0, disk.data + 2 * SECTOR, 128 * 128));
	seal(1);
	assert_int_equal(parse(), 0);
	assert_string_equal(gpt.partitions[0].name, "?ios");
}

static void a_name_is_utf_16(void **state)
{
	static const struct {
		uint16_t unit;
		const char *shown;
	} units[] = {{0x1f, "?"},
		     {0x20, " "},
		     {0x7e, "~"},
		     {0x7f, "?"},
		     {0x80, "\xc2\x80"},
		     {0x7ff, "\xdf\xbf"},
		     {0x800, "\xe0\xa0\x80"},
		     {0xd7ff, "\xed\x9f\xbf"},
		     {0xd800, "?"},
		     {0xdfff, "?"},
		     {0xe000, "\xee\x80\x80"},
		     {0xffff, "\xef\xbf\xbf"}};
	(void)state;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		disk.data[2 * SECTOR + 56] = (char)units[i].unit;
		disk.data[2 * SECTOR + 57] = (char)(units[i].unit >> 8);
		put32(SECTOR + 88, gpt_crc32(0, disk.data + 2 * SECTOR, 128 * 128));
		seal(1);
		assert_int_equal(parse(), 0);
		assert_int_equal(strncmp(gpt.partitions[0].name, units[i].shown, strlen(units[i].shown)), 0);
		assert_string_equal(gpt.partitions[0].name + strlen(units[i].shown), "ios");
	}
}

static void a_header_fills_its_sector_at_most(void **state)
{
	(void)state;
	put32(SECTOR + 12, SECTOR);
	put32(SECTOR + 16, 0);
	put32(SECTOR + 16, gpt_crc32(0, disk.data + SECTOR, SECTOR));
	assert_int_equal(parse(), 0);
	assert_false(gpt.from_backup);
	put32(SECTOR + 12, SECTOR + 1);
	assert_int_equal(parse(), 0);
	assert_true(gpt.from_backup);
	assert_string_equal(gpt.damage, "header of 513 bytes, expected 92 to 512");
}

static void a_name_of_all_its_36_characters_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < 36; i++)
		disk.data[2 * SECTOR + 56 + 2 * i] = 'x';
	put32(SECTOR + 88, gpt_crc32(0, disk.data + 2 * SECTOR, 128 * 128));
	seal(1);
	assert_int_equal(parse(), 0);
	assert_string_equal(gpt.partitions[0].name, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
}

static void a_damaged_table_and_none_are_a_damaged_one(void **state)
{
	(void)state;
	disk.data[SECTOR + 60] ^= 1;
	memset(disk.data + LAST * SECTOR, 0, SECTOR);
	assert_int_equal(parse(), -EBADMSG);
	assert_string_equal(err.text, "partition table: primary: header checksum is wrong; backup: no signature");
	fresh_disk(NULL);
	memset(disk.data + SECTOR, 0, SECTOR);
	disk.data[LAST * SECTOR + 24] ^= 1;
	assert_int_equal(parse(), -EBADMSG);
	assert_string_equal(err.text, "partition table: primary: no signature; backup: header checksum is wrong");
}

static void a_partition_may_be_one_sector_the_first_or_the_last(void **state)
{
	const uint64_t end = LAST - 40;
	(void)state;
	assert_int_equal(parse(), 0);
	put64(SECTOR + 40, 40); /* the usable ones: from here to `end` */
	put64(SECTOR + 48, end);
	put64(2 * SECTOR + 32, 40);
	put64(2 * SECTOR + 40, 40);
	put64(2 * SECTOR + 128 + 32, end);
	put64(2 * SECTOR + 128 + 40, end);
	put64(2 * SECTOR + 2 * 128 + 32, 39);
	put64(2 * SECTOR + 3 * 128 + 40, end + 1);
	put64(2 * SECTOR + 4 * 128 + 32, 2000);
	put64(2 * SECTOR + 4 * 128 + 40, 1999);
	put32(SECTOR + 88, gpt_crc32(0, disk.data + 2 * SECTOR, 128 * 128));
	seal(1);
	assert_int_equal(parse(), 0);
	assert_false(gpt.from_backup);
	assert_int_equal(gpt.count, 2);
	assert_true(gpt.partitions[0].first == 40 && gpt.partitions[0].last == 40);
	assert_true(gpt.partitions[1].first == end && gpt.partitions[1].last == end);
}

static void a_partition_behind_the_last_is_not_there(void **state)
{
	uint8_t uuid[16];
	(void)state;

	assert_int_equal(parse(), 0);
	gpt.count--;
	memcpy(uuid, gpt.partitions[gpt.count].uuid, sizeof uuid);
	assert_null(gpt_find(&gpt, uuid));
}

static void sectors_are_powers_of_two_from_512_to_4096(void **state)
{
	struct gpt_source source = {read_memory, &disk, disk.len, 0};
	(void)state;

	for (uint32_t sector = 256; sector <= 8192; sector *= 2) {
		bool possible = sector >= 512 && sector <= 4096;

		source.sector = sector;
		assert_int_equal(gpt_read(&source, &gpt, &err) == -EINVAL, !possible);
	}
	source.sector = 520;
	assert_int_equal(gpt_read(&source, &gpt, &err), -EINVAL);
	assert_string_equal(err.text, "sector of 520 bytes, expected 512 to 4096");
}

#define on_a_fresh_disk(test) cmocka_unit_test_setup_teardown(test, fresh_disk, drop_disk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_a_fresh_disk(a_table_of_sfdisk_is_read_as_sfdisk_shows_it),
		on_a_fresh_disk(a_partition_is_found_by_its_uuid),
		on_a_fresh_disk(a_flipped_bit_in_the_primary_header_means_the_backup),
		on_a_fresh_disk(a_flipped_bit_in_the_entries_means_the_backup),
		on_a_fresh_disk(a_wiped_start_means_the_backup),
		on_a_fresh_disk(two_damaged_tables_are_an_error_that_names_both),
		on_a_fresh_disk(an_empty_disk_has_no_table),
		on_a_fresh_disk(impossible_sizes_are_refused_before_they_are_used),
		on_a_fresh_disk(a_partition_outside_of_the_usable_sectors_is_skipped),
		on_a_fresh_disk(a_disk_cut_anywhere_is_never_read_beyond_its_end),
		on_a_fresh_disk(a_disk_that_cannot_be_read_is_an_error_not_an_empty_disk),
		on_a_fresh_disk(control_characters_in_a_name_reach_no_console),
		on_a_fresh_disk(a_name_is_utf_16),
		on_a_fresh_disk(a_header_fills_its_sector_at_most),
		on_a_fresh_disk(a_name_of_all_its_36_characters_ends),
		on_a_fresh_disk(a_damaged_table_and_none_are_a_damaged_one),
		on_a_fresh_disk(a_partition_may_be_one_sector_the_first_or_the_last),
		on_a_fresh_disk(a_partition_behind_the_last_is_not_there),
		on_a_fresh_disk(sectors_are_powers_of_two_from_512_to_4096),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
