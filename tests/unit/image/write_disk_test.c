#include "disk/write_disk.h"

#include "boot/gpt.h"
#include "small_disk.h"
#include "scratch.h"

#include <fcntl.h>

static struct disk_plan plan;
static struct disk_contents contents;
static struct err err;

static int fresh(void **state)
{
	static char paths[4][PATH_MAX];
	(void)state;

	strcpy(paths[0], in_scratch("esp"));
	strcpy(paths[1], in_scratch("root"));
	strcpy(paths[2], in_scratch("verity"));
	strcpy(paths[3], in_scratch("disk.raw"));
	unlink(paths[3]);
	contents = (struct disk_contents){paths[0], paths[1], paths[2], paths[3]};
	write_pattern(contents.esp, 700000, 1);
	write_pattern(contents.root, 300 * 4096, 2);
	write_pattern(contents.verity, 5000, 3);
	small_disk(&plan);
	return 0;
}

static int read_raw(void *context, uint64_t offset, void *data, size_t len)
{
	return pread(*(int *)context, data, len, (off_t)offset) == (ssize_t)len ? 0 : -EIO;
}

static void read_table(struct gpt *gpt)
{
	int fd = open(contents.output, O_RDONLY | O_CLOEXEC);
	const struct gpt_source source = {read_raw, &fd, plan.sectors * DISK_SECTOR, DISK_SECTOR};

	assert_true(fd >= 0);
	if (gpt_read(&source, gpt, &err) < 0)
		fail_msg("%s", err.text);
	close(fd);
}

static void sfdisk_reads_the_table_of_the_plan(void **state)
{
	const char *dump[] = {"sfdisk", "--dump", contents.output, NULL};
	const char *verify[] = {"sfdisk", "--verify", contents.output, NULL};
	struct buf text = {0}, shown = {0};
	(void)state;

	assert_int_equal(write_disk(&plan, &contents, &err), 0);
	run_into(verify, &text);
	buf_free(&text);
	run_into(dump, &text);
	for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n")) {
		bool named = !strncmp(line, contents.output, strlen(contents.output));

		if (strncmp(line, "device:", 7))
			buf_addf(&shown, "%s%s\n", named ? "disk.raw" : "",
				 line + (named ? strlen(contents.output) : 0));
	}
	assert_golden("image/disk_table.txt", buf_string(&shown));
	buf_free(&text);
	buf_free(&shown);
}

static void init_finds_the_root_by_its_hash(void **state)
{
	static struct gpt gpt;
	const struct gpt_partition *root, *verity;
	uint8_t hash[32];
	(void)state;

	for (unsigned i = 0; i < sizeof hash; i++)
		hash[i] = (uint8_t)(0xa0 + i);
	assert_int_equal(write_disk(&plan, &contents, &err), 0);
	read_table(&gpt);
	assert_false(gpt.from_backup);
	assert_int_equal(gpt.count, DISK_PARTITIONS);
	root = gpt_find(&gpt, hash);
	verity = gpt_find(&gpt, hash + 16);
	assert_non_null(root);
	assert_non_null(verity);
	assert_int_equal(root->number, DISK_ROOT_A + 1);
	assert_int_equal(verity->number, DISK_VERITY_A + 1);
	assert_string_equal(root->name, "keelson_1.4.0");
	assert_int_equal(root->attributes, (uint64_t)1 << 60);
}

static void the_backup_table_serves_when_the_primary_is_overwritten(void **state)
{
	static struct gpt gpt;
	char zeros[33 * 512] = {0};
	FILE *file;
	(void)state;

	assert_int_equal(write_disk(&plan, &contents, &err), 0);
	file = fopen(contents.output, "r+");
	assert_non_null(file);
	fseek(file, 512, SEEK_SET);
	assert_int_equal(fwrite(zeros, 1, sizeof zeros, file), sizeof zeros);
	fclose(file);
	read_table(&gpt);
	assert_true(gpt.from_backup);
	assert_int_equal(gpt.count, DISK_PARTITIONS);
}

static void assert_content(const char *path, unsigned partition)
{
	char skip[40], bytes[40];
	const char *argv[] = {"cmp", "-n", bytes, "-i", skip, path, contents.output, NULL};
	struct stat st;
	struct buf out = {0};

	assert_int_equal(stat(path, &st), 0);
	snprintf(bytes, sizeof bytes, "%lld", (long long)st.st_size);
	snprintf(skip, sizeof skip, "0:%llu", (unsigned long long)plan.partitions[partition].first * DISK_SECTOR);
	run_into(argv, &out);
	buf_free(&out);
}

static void contents_lie_in_their_partitions_and_nothing_else_takes_room(void **state)
{
	struct stat st;
	(void)state;

	assert_int_equal(write_disk(&plan, &contents, &err), 0);
	assert_content(contents.esp, DISK_ESP);
	assert_content(contents.root, DISK_ROOT_A);
	assert_content(contents.verity, DISK_VERITY_A);
	assert_int_equal(stat(contents.output, &st), 0);
	assert_int_equal(st.st_size, plan.sectors * DISK_SECTOR);
	assert_true(st.st_blocks * 512 < 3 << 20);
}

static void the_same_input_gives_the_same_bytes(void **state)
{
	const char *first = contents.output;
	(void)state;

	assert_int_equal(write_disk(&plan, &contents, &err), 0);
	contents.output = in_scratch("again.raw");
	assert_int_equal(write_disk(&plan, &contents, &err), 0);
	assert_same_file(first, contents.output);
}

static void content_larger_than_its_partition_is_refused_with_both_sizes(void **state)
{
	char expected[2 * PATH_MAX];
	size_t before;
	(void)state;

	write_pattern(contents.verity, (1 << 20) + 1, 3);
	before = count_files();
	assert_int_equal(write_disk(&plan, &contents, &err), -ENOSPC);
	snprintf(expected, sizeof expected,
		 "disk %s: %s of 1048577 bytes is larger than its partition keelson_1.4.0 of 1048576", contents.output,
		 contents.verity);
	assert_string_equal(err.text, expected);
	assert_int_equal(count_files(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sfdisk_reads_the_table_of_the_plan, fresh),
		cmocka_unit_test_setup(init_finds_the_root_by_its_hash, fresh),
		cmocka_unit_test_setup(the_backup_table_serves_when_the_primary_is_overwritten, fresh),
		cmocka_unit_test_setup(contents_lie_in_their_partitions_and_nothing_else_takes_room, fresh),
		cmocka_unit_test_setup(the_same_input_gives_the_same_bytes, fresh),
		cmocka_unit_test_setup(content_larger_than_its_partition_is_refused_with_both_sizes, fresh),
	};
	return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
