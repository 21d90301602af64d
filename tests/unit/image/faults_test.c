/* Every output step, with every one of its calls that change a file failing once: an error that says so, the older
 * output as it was, and nothing else left. The calls are replaced here, for our own code and for the libraries it
 * calls. */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/syscall.h>

#include "boot/write_initramfs.h"
#include "boot/write_uki.h"
#include "disk/verity.h"
#include "disk/write_disk.h"
#include "disk/write_esp.h"
#include "disk/write_qcow2.h"
#include "scratch.h"
#include "small_disk.h"
#include "stub.h"

static bool armed;
static unsigned calls, fail_at; /* the fail_at-th call fails; 0: none does */

static bool fails(void)
{
	if (!armed || ++calls != fail_at)
		return false;
	errno = calls % 2 ? EIO : ENOSPC;
	return true;
}

ssize_t write(int fd, const void *data, size_t len)
{
	return fails() ? -1 : syscall(SYS_write, fd, data, len);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t offset)
{
	return fails() ? -1 : syscall(SYS_pwrite64, fd, data, len, offset);
}

int ftruncate(int fd, off_t len)
{
	return fails() ? -1 : (int)syscall(SYS_ftruncate, fd, len);
}

int fsync(int fd)
{
	return fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
	return fails() ? -1 : (int)syscall(SYS_rename, from, to);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
	return fails() ? -1 : (int)syscall(SYS_renameat, from_directory, from, to_directory, to);
}

static struct err err;
static char output[PATH_MAX], init[PATH_MAX], root[PATH_MAX], initramfs_path[PATH_MAX], stub_path[PATH_MAX],
	kernel[PATH_MAX];

static int make(void **state)
{
	char bytes[5000];
	uint8_t stub[STUB_BYTES];

	if (scratch_make(state))
		return -1;
	strcpy(output, in_scratch("output"));
	strcpy(init, in_scratch("init"));
	strcpy(root, in_scratch("root"));
	strcpy(initramfs_path, in_scratch("initramfs"));
	strcpy(stub_path, in_scratch("stub"));
	strcpy(kernel, in_scratch("kernel"));
	write_pattern(init, 100000, 1);
	write_pattern(root, 300 * 4096, 2);
	write_pattern(initramfs_path, 9000, 3);
	write_text(in_scratch("a.ko"), "\177ELF module");
	make_stub(stub);
	memset(bytes, 'k', sizeof bytes);
	memcpy(bytes, "MZ", 2);
	memcpy(bytes + 0x202, "HdrS", 4);
	return file_write_atomic(stub_path, stub, sizeof stub, 0644, NULL) ||
	       file_write_atomic(kernel, bytes, sizeof bytes, 0644, NULL);
}

static int do_initramfs(void)
{
	char *paths[] = {(char *)"a.ko"};
	const struct module_list list = {paths, 1};
	const struct initramfs initramfs = {init, scratch, &list, 1700000000, output};

	return write_initramfs(&initramfs, &err);
}

static int do_uki(void)
{
	const struct uki uki = {stub_path, kernel, initramfs_path, "ID=keelson\n", "gpt", "6.1.0", output};

	return write_uki(&uki, &err);
}

static int do_verity(void)
{
	struct verity verity;

	verity_name(&verity, "1.4.0");
	return verity_format(root, output, &verity, &err);
}

static int do_esp(void)
{
	const struct esp esp = {"1.4.0", init, kernel, 272 << 20, 1700000000, output};

	return write_esp(&esp, &err);
}

static int do_disk(void)
{
	const struct disk_contents contents = {init, root, initramfs_path, output};
	static struct disk_plan plan;

	small_disk(&plan);
	return write_disk(&plan, &contents, &err);
}

static int do_qcow2(void)
{
	return write_qcow2(root, output, false, &err);
}

/* Whether the older output is still there, whole. */
static bool is_old(void)
{
	struct buf text = {0};
	bool old = file_read(output, 3, &text, NULL) == 0 && !strcmp(buf_string(&text), "old");

	buf_free(&text);
	return old;
}

static int run_with_fault(int (*step)(void), unsigned at)
{
	int r;

	write_text(output, "old");
	err.text[0] = 0;
	calls = 0;
	fail_at = at;
	armed = true;
	r = step();
	armed = false;
	return r;
}

static void assert_every_fault_is_clean(int (*step)(void), unsigned least)
{
	size_t files;
	unsigned total;

	if (run_with_fault(step, 0) < 0)
		fail_msg("without a fault: %s", err.text);
	total = calls;
	files = count_files();
	assert_true(total >= least);
	for (unsigned at = 1; at <= total; at++) {
		int r = run_with_fault(step, at);

		if (r >= 0)
			fail_msg("call %u of %u failed, and the step did not say so", at, total);
		if (!strstr(err.text, strerror(EIO)) && !strstr(err.text, strerror(ENOSPC)))
			fail_msg("call %u of %u: the error does not say why: %s", at, total, err.text);
		/* the last call syncs the directory: by then the new output is whole and in place */
		if (!is_old() && at != total)
			fail_msg("call %u of %u: the older output is gone: %s", at, total, err.text);
		if (count_files() != files)
			fail_msg("call %u of %u: something is left behind: %s", at, total, err.text);
	}
}

static void initramfs(void **state)
{
	(void)state;
	assert_every_fault_is_clean(do_initramfs, 4);
}

static void unified_kernel_image(void **state)
{
	(void)state;
	assert_every_fault_is_clean(do_uki, 4);
}

static void verity_tree(void **state)
{
	(void)state;
	assert_every_fault_is_clean(do_verity, 8);
}

static void efi_system_partition(void **state)
{
	(void)state;
	assert_every_fault_is_clean(do_esp, 9);
}

static void raw_disk(void **state)
{
	(void)state;
	assert_every_fault_is_clean(do_disk, 10);
}

static void qcow2(void **state)
{
	(void)state;
	assert_every_fault_is_clean(do_qcow2, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(initramfs),   cmocka_unit_test(unified_kernel_image),
		cmocka_unit_test(verity_tree), cmocka_unit_test(efi_system_partition),
		cmocka_unit_test(raw_disk),    cmocka_unit_test(qcow2),
	};
	return cmocka_run_group_tests(tests, make, scratch_remove);
}
