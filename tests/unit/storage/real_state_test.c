/* The doers on a file instead of a disk: libfdisk, mke2fs, e2fsck and libblkid do not mind. Mounting needs a machine.
 */
#include <fcntl.h>
#include <libfdisk/libfdisk.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/process.h"
#include "storage/check_state.h"
#include "storage/format_state.h"
#include "storage/inspect_state.h"
#include "storage/write_table.h"

#include "unit/test.h"

#define MIB ((off_t)1 << 20)
#define GIB ((off_t)1 << 30)

static char scratch[] = "/tmp/keelson-state-XXXXXX", disk[64];
static const unsigned char random_bytes[48] = "0123456789abcdefABCDEFGHIJKLMNOPqrstuvwxyz!#$%&*";

static int make(void **state)
{
	(void)state;
	if (!mkdtemp(scratch))
		return -1;
	snprintf(disk, sizeof disk, "%s/disk", scratch);
	return 0;
}

static int drop(void **state)
{
	(void)state;
	unlink(disk);
	return rmdir(scratch);
}

static void make_file(off_t size)
{
	int fd = open(disk, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, size), 0);
	close(fd);
}

static void add_partition(struct fdisk_context *context, size_t number, uint64_t first, uint64_t sectors,
			  const char *type)
{
	struct fdisk_partition *p = fdisk_new_partition();
	struct fdisk_parttype *t = fdisk_label_parse_parttype(fdisk_get_label(context, NULL), type);

	assert_non_null(t);
	fdisk_partition_set_partno(p, number - 1);
	fdisk_partition_set_start(p, first);
	fdisk_partition_set_size(p, sectors);
	fdisk_partition_set_type(p, t);
	assert_int_equal(fdisk_add_partition(context, p, NULL), 0);
	fdisk_unref_partition(p);
	fdisk_unref_parttype(t);
}

/* An image of 96 MiB: an ESP, and a state of 16 MiB at 64 MiB. Then it is copied to a larger disk. */
static void make_disk(off_t size)
{
	struct fdisk_context *context = fdisk_new_context();

	make_file(96 * MIB);
	assert_int_equal(fdisk_assign_device(context, disk, 0), 0);
	assert_int_equal(fdisk_create_disklabel(context, "gpt"), 0);
	add_partition(context, 2, 2048, 65536, TYPE_ESP);
	add_partition(context, 7, 131072, 32768, TYPE_STATE);
	assert_int_equal(fdisk_write_disklabel(context), 0);
	fdisk_deassign_device(context, 1);
	fdisk_unref_context(context);
	assert_int_equal(truncate(disk, size), 0);
}

static void read_at(off_t at, void *to, size_t len)
{
	int fd = open(disk, O_RDONLY | O_CLOEXEC);

	assert_int_equal(pread(fd, to, len, at), (ssize_t)len);
	close(fd);
}

static void write_at(off_t at, const void *from, size_t len)
{
	int fd = open(disk, O_WRONLY | O_CLOEXEC);

	assert_int_equal(pwrite(fd, from, len, at), (ssize_t)len);
	close(fd);
}

static void plan(struct table *table, bool first_boot, struct table_plan *p)
{
	struct err err;

	assert_int_equal(table_read(disk, table, &err), 0);
	assert_int_equal(plan_table(table, first_boot, random_bytes, p, &err), 0);
}

static void state_grows_to_the_end_of_a_larger_disk(void **state)
{
	struct table table;
	struct table_plan p;
	struct err err;
	(void)state;

	make_disk(8 * GIB);
	plan(&table, true, &p);
	assert_true(p.grow && table.needs_write);
	assert_int_equal(write_table(disk, &table, &p, &err), 0);

	plan(&table, false, &p);
	assert_true(p.nothing);
	assert_int_equal(table.count, 2);
	assert_int_equal(table.partitions[1].last, 8 * GIB / 512 - 2048 - 1);
	assert_string_equal(table.disk_id, "30313233-3435-4637-B839-616263646566");
	assert_string_equal(table.partitions[0].uuid, "41424344-4546-4748-894A-4B4C4D4E4F50");
	assert_string_equal(table.partitions[1].uuid, "71727374-7576-4778-B97A-21232425262A");
	assert_int_equal(table.partitions[0].first, 2048);
}

static void a_table_says_that_state_is_in_use_until_it_is_formatted_anew(void **state)
{
	struct table table;
	struct table_plan p;
	struct err err;
	(void)state;

	make_disk(8 * GIB);
	plan(&table, true, &p);
	assert_int_equal(write_table(disk, &table, &p, &err), 0);
	for (int round = 0; round < 2; round++) {
		assert_int_equal(table_read(disk, &table, &err), 0);
		assert_int_equal(plan_mark(&table, &p, &err), 0);
		assert_int_equal(p.nothing, round == 1);
		assert_int_equal(write_table(disk, &table, &p, &err), 0);
	}
	plan(&table, true, &p);
	assert_true(table.partitions[1].attributes == ATTRIBUTE_IN_USE && !table.partitions[0].attributes);
	assert_int_equal(table.partitions[1].last, 8 * GIB / 512 - 2048 - 1);
	assert_int_equal(write_table(disk, &table, &p, &err), 0);
	plan(&table, false, &p);
	assert_true(!table.partitions[1].attributes);
}

static void a_lost_primary_table_is_written_again_from_the_backup(void **state)
{
	char zeroes[1024] = {0};
	struct table table;
	struct table_plan p;
	struct err err;
	(void)state;

	make_disk(8 * GIB);
	plan(&table, false, &p);
	assert_int_equal(write_table(disk, &table, &p, &err), 0);
	write_at(512, zeroes, sizeof zeroes);
	plan(&table, false, &p);
	assert_true(table.needs_write && !p.grow && !p.nothing);
	assert_int_equal(write_table(disk, &table, &p, &err), 0);
	plan(&table, false, &p);
	assert_true(p.nothing);
}

static void a_table_that_cannot_be_written_stays_as_it_was(void **state)
{
	static char before[34 * 512], after[34 * 512];
	const struct rlimit small = {4 * GIB, 4 * GIB};
	struct table table;
	struct table_plan p;
	struct err err;
	int status;
	(void)state;

	make_disk(8 * GIB);
	plan(&table, true, &p);
	read_at(0, before, sizeof before);
	if (fork() == 0) { /* the end of the disk refuses to be written */
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &small);
		_exit(write_table(disk, &table, &p, &err) < 0 && strstr(err.text, "partition table: write: ") ? 0 : 1);
	}
	assert_true(wait(&status) > 0);
	assert_int_equal(status, 0);
	read_at(0, after, sizeof after);
	assert_memory_equal(before, after, sizeof before);
	plan(&table, false, &p);
	assert_int_equal(table.partitions[1].last, 131072 + 32768 - 1);
}

static void a_disk_without_a_gpt_says_so(void **state)
{
	struct table table;
	struct err err;
	(void)state;

	make_file(64 * MIB);
	assert_true(table_read(disk, &table, &err) < 0);
	assert_non_null(strstr(err.text, "expected a GPT, found no partition table"));
}

static enum state_action look(struct state_content *content)
{
	struct err err;

	assert_int_equal(inspect_state(disk, content, &err), 0);
	return decide_state(content);
}

static void run(const char *const *argv)
{
	const struct process process = {.argv = argv, .timeout_ms = 60000, .quiet = true};
	struct err err;

	if (process_run(&process, &err) < 0)
		fail_msg("%s", err.text);
}

static void commit(void)
{
	struct stat st;
	struct err err;

	assert_int_equal(stat(disk, &st), 0);
	assert_int_equal(commit_format(disk, (uint64_t)st.st_size, &err), 0);
}

static void until_it_is_committed_a_format_is_done_again(void **state)
{
	struct state_content content;
	struct err err;
	(void)state;

	make_file(GIB);
	assert_int_equal(look(&content), STATE_FORMAT);
	assert_int_equal(format_state(disk, (uint64_t)GIB, &err), 0);
	assert_int_equal(look(&content), STATE_FORMAT_AGAIN);
	assert_true(content.primary.bytes == (uint64_t)GIB);
	commit();
	assert_int_equal(look(&content), STATE_MOUNT);
	assert_int_equal(commit_format(disk, (uint64_t)GIB, &err), -EBADMSG);
	assert_int_equal(format_state(disk, (uint64_t)100 * MIB, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "expected at least 512 MiB for state, found 100 MiB"));
}

/* e2fsck takes a copy where the primary is lost; none of them must say that nothing was ever there. */
static void every_copy_of_the_superblock_gets_the_label(void **state)
{
	static const uint64_t groups[] = {0, 1, 3, 5, 7, 9, 25, 27, 49};
	const char *const argv[] = {"e2fsck", "-f", "-n", disk, NULL};
	const struct process e2fsck = {.argv = argv, .timeout_ms = 60000, .quiet = true};
	struct superblock found;
	unsigned char bytes[1024];
	struct err err;
	(void)state;

	make_file(7 * GIB);
	assert_int_equal(format_state(disk, (uint64_t)7 * GIB, &err), 0);
	commit();
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++) {
		read_at(groups[i] ? (off_t)groups[i] * 32768 * 4096 : 1024, bytes, sizeof bytes);
		parse_superblock(bytes, &found);
		assert_true(found.present);
		assert_string_equal(found.label, LABEL_DONE);
	}
	assert_int_equal(process_run(&e2fsck, &err), 0); /* the checksums are right */
}

/* A disk that had this system before gets a new image: the head is zeroes, the copies further behind are of old. */
static void a_cut_format_does_not_bring_back_an_earlier_life(void **state)
{
	static char zeroes[1 << 20], half[8192];
	struct state_content content;
	struct err err;
	(void)state;

	make_file(GIB);
	assert_int_equal(format_state(disk, (uint64_t)GIB, &err), 0);
	commit();
	write_at(0, zeroes, sizeof zeroes);
	assert_int_equal(look(&content), STATE_FORMAT);
	assert_int_equal(forget_backups(disk, &err), 0);
	memset(half, 1, sizeof half);
	write_at(4096, half, sizeof half); /* mke2fs came as far as this, then the power went */
	assert_int_equal(look(&content), STATE_FORMAT);
}

/* Killed wherever it is: never taken for data. */
static void a_format_killed_at_any_moment_is_done_again(void **state)
{
	struct state_content content;
	struct err err;
	(void)state;

	for (useconds_t after = 0; after < 40000; after += 2000) {
		pid_t pid;
		enum state_action action;

		make_file(4 * GIB);
		pid = fork();
		if (pid == 0) {
			setpgid(0, 0);
			_exit(format_state(disk, (uint64_t)4 * GIB, &err) < 0);
		}
		setpgid(pid, pid);
		usleep(after);
		kill(-pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		usleep(20000); /* its mke2fs too is gone */
		action = look(&content);
		assert_true(action == STATE_FORMAT || action == STATE_FORMAT_AGAIN);
	}
}

static void a_quarter_of_a_small_state_is_etcds(void **state)
{
	unsigned char super[1024];
	struct err err;
	(void)state;

	make_file(GIB);
	assert_int_equal(format_state(disk, (uint64_t)GIB, &err), 0);
	read_at(1024, super, sizeof super);
	assert_in_range((super[8] | super[9] << 8 | super[10] << 16) * 4096 / MIB, 250, 260); /* s_r_blocks_count */
}

static void a_file_system_that_lost_its_head_is_repaired_and_keeps_its_data(void **state)
{
	static char noise[64 * 1024];
	const char *const put[] = {"debugfs", "-w", "-R", "mkdir /kept", disk, NULL};
	const char *const list[] = {"debugfs", "-R", "ls -p /", disk, NULL};
	struct state_content content;
	struct buf out = {0};
	struct process ls = {.argv = list, .timeout_ms = 60000, .output = &out};
	bool repaired;
	struct err err;
	(void)state;

	make_file(GIB);
	assert_int_equal(format_state(disk, (uint64_t)GIB, &err), 0);
	run(put);
	commit();
	memset(noise, 0x5a, sizeof noise);
	write_at(0, noise, sizeof noise);
	assert_int_equal(look(&content), STATE_CHECK);
	assert_true(content.backup.present);
	assert_int_equal(check_state(disk, &repaired, &err), 0);
	assert_true(repaired);
	assert_int_equal(look(&content), STATE_MOUNT);
	assert_int_equal(process_run(&ls, &err), 0);
	assert_non_null(strstr(buf_string(&out), "/kept/"));
	buf_free(&out);
}

static void somebody_elses_file_system_is_named(void **state)
{
	const char *const mkswap[] = {"mkswap", disk, NULL};
	struct state_content content;
	(void)state;

	make_file(64 * MIB);
	run(mkswap);
	assert_int_equal(look(&content), STATE_REFUSE);
	assert_string_equal(content.found, "swap");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(state_grows_to_the_end_of_a_larger_disk),
		cmocka_unit_test(a_table_says_that_state_is_in_use_until_it_is_formatted_anew),
		cmocka_unit_test(a_lost_primary_table_is_written_again_from_the_backup),
		cmocka_unit_test(a_table_that_cannot_be_written_stays_as_it_was),
		cmocka_unit_test(a_disk_without_a_gpt_says_so),
		cmocka_unit_test(until_it_is_committed_a_format_is_done_again),
		cmocka_unit_test(every_copy_of_the_superblock_gets_the_label),
		cmocka_unit_test(a_cut_format_does_not_bring_back_an_earlier_life),
		cmocka_unit_test(a_format_killed_at_any_moment_is_done_again),
		cmocka_unit_test(a_quarter_of_a_small_state_is_etcds),
		cmocka_unit_test(a_file_system_that_lost_its_head_is_repaired_and_keeps_its_data),
		cmocka_unit_test(somebody_elses_file_system_is_named),
	};
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	return cmocka_run_group_tests(tests, make, drop);
}
