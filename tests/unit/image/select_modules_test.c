#include "boot/select_modules.h"

#include "lib/buf.h"
#include "unit/test.h"

static const char dep[] =
	"kernel/fs/fuse/virtiofs.ko: kernel/drivers/virtio/virtio.ko kernel/drivers/virtio/virtio_ring.ko\n"
	"kernel/drivers/virtio/virtio.ko: kernel/drivers/virtio/virtio_ring.ko\n"
	"kernel/drivers/virtio/virtio_ring.ko:\n"
	"kernel/drivers/block/virtio_blk.ko: kernel/drivers/virtio/virtio.ko "
	"kernel/drivers/virtio/virtio_ring.ko\n"
	"kernel/drivers/md/dm-mod.ko:\n"
	"kernel/drivers/md/dm-bufio.ko: kernel/drivers/md/dm-mod.ko\n"
	"kernel/drivers/md/dm-verity.ko.xz: kernel/drivers/md/dm-bufio.ko kernel/drivers/md/dm-mod.ko\n";
static const char builtin[] = "kernel/drivers/nvme/host/nvme-core.ko\nkernel/drivers/nvme/host/nvme.ko\n";

static struct module_list list;
static struct err err;

static int forget(void **state)
{
	(void)state;
	module_list_free(&list);
	return 0;
}

static void assert_order(const char *expected)
{
	struct buf text = {0};

	for (size_t i = 0; i < list.count; i++)
		buf_addf(&text, "%s\n", list.paths[i]);
	assert_string_equal(buf_string(&text), expected);
	buf_free(&text);
}

static void dependencies_come_first_and_only_once(void **state)
{
	(void)state;
	assert_int_equal(select_modules("virtio_blk\ndm-verity\nvirtio\n", dep, builtin, &list, &err), 0);
	assert_order("kernel/drivers/virtio/virtio_ring.ko\nkernel/drivers/virtio/virtio.ko\n"
		     "kernel/drivers/block/virtio_blk.ko\nkernel/drivers/md/dm-mod.ko\nkernel/drivers/md/dm-bufio.ko\n"
		     "kernel/drivers/md/dm-verity.ko.xz\n");
}

static void a_name_matches_the_whole_file_name(void **state)
{
	(void)state;
	assert_int_equal(select_modules("virtio", dep, builtin, &list, &err), 0);
	assert_order("kernel/drivers/virtio/virtio_ring.ko\nkernel/drivers/virtio/virtio.ko\n");
}

static void dash_and_underscore_are_the_same(void **state)
{
	(void)state;
	assert_int_equal(select_modules("dm_mod\n", dep, builtin, &list, &err), 0);
	assert_order("kernel/drivers/md/dm-mod.ko\n");
}

static void what_is_built_in_or_optional_needs_no_file(void **state)
{
	(void)state;
	assert_int_equal(select_modules("# disks\nnvme\nahci optional # bare metal\n\n", dep, builtin, &list, &err), 0);
	assert_order("");
}

static void only_a_module_s_file_has_its_name(void **state)
{
	static const char table[] =
		"kernel/a.ko:\nkernel/ab.ko:\nb.ko.gz:\nkernel/c.kox:\nkernel/d.k:\nkernel/e/f.ko:\ng.ko:";
	static const char *const none[] = {"c", "d", "e", "kernel", "ko", "b.ko", "fx"};
	(void)state;

	assert_int_equal(select_modules("ab\nb\nf\ng", table, "", &list, &err), 0);
	assert_order("kernel/ab.ko\nb.ko.gz\nkernel/e/f.ko\ng.ko\n");
	module_list_free(&list);
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		assert_int_equal(select_modules(none[i], table, "", &list, &err), -ENOENT);
	assert_int_equal(select_modules("kernel-x", "a/kernel_x.ko:", "", &list, &err), 0);
}

static void a_line_is_as_long_as_it_may_be(void **state)
{
	char line[129];
	(void)state;

	memset(line, ' ', sizeof line - 1);
	line[0] = 'x';
	line[128] = 0;
	assert_int_equal(select_modules(line, "x.ko:", "", &list, &err), -EINVAL);
	assert_string_equal(err.text, "line 1: expected a module's name, found a line of 128 bytes");
	line[127] = 0;
	assert_int_equal(select_modules(line, "x.ko:", "", &list, &err), 0);
	module_list_free(&list);
	assert_int_equal(select_modules("x optional more\n", "x.ko:", "", &list, &err), -EINVAL);
	assert_int_equal(select_modules("x more more\n", "x.ko:", "", &list, &err), -EINVAL);
	assert_string_equal(err.text, "line 1: x: expected nothing or \"optional\" behind the name, found \"more\"");
}

static void every_missing_module_is_named(void **state)
{
	(void)state;
	assert_int_equal(select_modules("erofs\nvirtio\nsquashfs\n", dep, builtin, &list, &err), -ENOENT);
	assert_string_equal(err.text, "expected a file or built in, found neither: erofs, squashfs");
	assert_int_equal(list.count, 0);
}

static void a_line_with_another_word_is_refused_with_its_number(void **state)
{
	(void)state;
	assert_int_equal(select_modules("virtio\nnvme maybe\n", dep, builtin, &list, &err), -EINVAL);
	assert_string_equal(err.text,
			    "line 2: nvme: expected nothing or \"optional\" behind the name, found \"maybe\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(dependencies_come_first_and_only_once, forget),
		cmocka_unit_test_teardown(a_name_matches_the_whole_file_name, forget),
		cmocka_unit_test_teardown(dash_and_underscore_are_the_same, forget),
		cmocka_unit_test_teardown(what_is_built_in_or_optional_needs_no_file, forget),
		cmocka_unit_test_teardown(only_a_module_s_file_has_its_name, forget),
		cmocka_unit_test_teardown(a_line_is_as_long_as_it_may_be, forget),
		cmocka_unit_test_teardown(every_missing_module_is_named, forget),
		cmocka_unit_test_teardown(a_line_with_another_word_is_refused_with_its_number, forget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
