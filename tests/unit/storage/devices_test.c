#include <fcntl.h>
#include <linux/input.h>

#include "lib/file.h"
#include "storage/block_devices.h"
#include "storage/device_modules.h"
#include "storage/device_nodes.h"
#include "storage/power_button.h"
#include "unit/test.h"

static struct block_devices blocks;

static int one_disk(void **state)
{
	(void)state;
	memset(&blocks, 0, sizeof blocks);
	blocks.count = 2;
	blocks.all[0].present = true;
	strcpy(blocks.all[0].name, "vda");
	return 0;
}

static int no_disk(void **state)
{
	(void)state;
	buf_free(&blocks.all[0].own);
	buf_free(&blocks.all[0].parts);
	return 0;
}

static void what_the_reader_answers_becomes_links(void **state)
{
	(void)state;
	take_probe_line(&blocks, "0 uuid 2865625e-dcb7");
	take_probe_line(&blocks, "0 label EFI\\x20System");
	take_probe_line(&blocks, "0 partuuid 3 7ea6dbc7");
	assert_string_equal(buf_string(&blocks.all[0].own),
			    "disk/by-uuid/2865625e-dcb7\ndisk/by-label/EFI\\x20System\n");
	assert_string_equal(buf_string(&blocks.all[0].parts), "3 disk/by-partuuid/7ea6dbc7\n");
}

/* The reader has seen hostile bytes: its answer is no more to be trusted than they are. */
static void a_hostile_answer_becomes_nothing(void **state)
{
	static const char *const bad[] = {
		"",
		"0",
		"0 uuid",
		"0 uuid ..",
		"0 uuid ../../vda",
		"0 uuid a/b",
		"0 partuuid 3",
		"0 partuuid 3 ../x",
		"0 other name",
		"1 uuid x", /* a free row */
		"7 uuid x", /* none */
		"-1 uuid x",
		"99999999999 uuid x",
		"x uuid y",
		"0 uuid a b c d",
	};
	(void)state;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		take_probe_line(&blocks, bad[i]);
	assert_string_equal(buf_string(&blocks.all[0].own), "");
	assert_string_equal(buf_string(&blocks.all[0].parts), "");
}

static void loops_and_ram_disks_are_not_looked_at(void **state)
{
	char name[sizeof blocks.all[0].name + 1];
	(void)state;
	assert_true(is_block_name_of_interest("vda3"));
	assert_true(is_block_name_of_interest("sr0"));
	assert_true(is_block_name_of_interest("dm-1"));
	assert_false(is_block_name_of_interest("loop0"));
	assert_false(is_block_name_of_interest("ram1"));
	assert_false(is_block_name_of_interest("zram0"));
	assert_false(is_block_name_of_interest("a/b"));
	memset(name, 'v', sizeof name);
	name[sizeof name - 1] = 0;
	assert_false(is_block_name_of_interest(name));
	name[sizeof name - 2] = 0;
	assert_true(is_block_name_of_interest(name));
}

static void an_alias_is_given_to_modprobe_once(void **state)
{
	struct alias_set set = {0};
	char longer[5000];
	(void)state;

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	assert_true(add_alias(&set, "pci:v00001AF4d00001000"));
	assert_false(add_alias(&set, "pci:v00001AF4d00001000"));
	assert_true(add_alias(&set, "acpi:PNP0C0C:"));
	assert_false(add_alias(&set, ""));
	assert_false(add_alias(&set, "-r"));
	assert_false(add_alias(&set, "/tmp/evil"));
	assert_false(add_alias(&set, "a\nb"));
	assert_false(has_alias(&set, ""));
	longer[4001] = 0;
	assert_false(add_alias(&set, longer));
	assert_int_equal(set.text.len, strlen("pci:v00001AF4d00001000") + 1 + strlen("acpi:PNP0C0C:") + 1);
	longer[4000] = 0;
	assert_true(add_alias(&set, longer));
	buf_free(&set.text);
}

static void aliases_come_from_every_bus_and_those_of_processors_apart(void **state)
{
	char root[] = "/tmp/keelson-sys-XXXXXX", path[128];
	struct alias_set devices = {0}, cpus = {0};
	(void)state;

	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof path, "%s/bus/pci/devices/0000:00:04.0/modalias", root);
	assert_int_equal(file_write_atomic(path, "pci:a\n", 6, 0600, NULL), 0);
	snprintf(path, sizeof path, "%s/devices/system/cpu/modalias", root);
	assert_int_equal(file_write_atomic(path, "cpu:b\n", 6, 0600, NULL), 0);
	snprintf(path, sizeof path, "%s/bus/memory/devices/memory0/state", root);
	assert_int_equal(file_write_atomic(path, "online\n", 7, 0600, NULL), 0);
	add_bus_aliases(&devices, root);
	add_processor_alias(&cpus, root);
	assert_string_equal(buf_string(&devices.text), "pci:a");
	assert_string_equal(buf_string(&cpus.text), "cpu:b");
	buf_free(&devices.text);
	buf_free(&cpus.text);
}

static void static_nodes_are_read_as_depmod_writes_them(void **state)
{
	static const char *const bad[] = {"# a comment", "",	      "fuse",	"fuse fuse",   "x ../y c1:2",
					  "x /y c1:2",	 "x y p1:2",  "x y c1", "x y c4096:1", "x y c1:1048576",
					  "x  c1:2",	 "#m y c1:2", "x"};
	char line[64] = "tun net/tun c10:200";
	struct static_node node;
	(void)state;

	assert_int_equal(parse_static_node(line, &node), 0);
	assert_string_equal(node.name, "net/tun");
	assert_false(node.block);
	assert_int_equal(node.major, 10);
	assert_int_equal(node.minor, 200);
	strcpy(line, "x y b4095:1048575");
	assert_int_equal(parse_static_node(line, &node), 0);
	assert_true(node.block && node.major == 4095 && node.minor == 1048575);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		strcpy(line, bad[i]);
		assert_int_equal(parse_static_node(line, &node), -EINVAL);
	}
	assert_int_equal(device_mode("net/tun"), 0666);
	assert_int_equal(device_mode("vda"), 0);
}

static void a_power_button_is_known_by_its_key(void **state)
{
	unsigned char bits[KEY_MAX / 8 + 1] = {0};
	(void)state;

	assert_false(has_power_key(bits, sizeof bits));
	bits[KEY_POWER / 8] |= (unsigned char)(1 << KEY_POWER % 8);
	assert_true(has_power_key(bits, sizeof bits));
	assert_false(has_power_key(bits, KEY_POWER / 8));
}

static void a_press_is_told_once_and_a_button_that_is_gone_is_closed(void **state)
{
	const struct input_event down = {.type = EV_KEY, .code = KEY_POWER, .value = 1};
	const struct input_event up = {.type = EV_KEY, .code = KEY_POWER, .value = 0};
	const struct input_event other = {.type = EV_KEY, .code = KEY_SLEEP, .value = 1};
	struct power_buttons buttons = {.count = 1};
	int fds[2];
	(void)state;

	assert_int_equal(pipe2(fds, O_NONBLOCK | O_CLOEXEC), 0);
	buttons.fds[0] = fds[0];
	assert_false(power_button_pressed(&buttons));
	assert_int_equal(write(fds[1], &other, sizeof other), sizeof other);
	assert_false(power_button_pressed(&buttons));
	assert_int_equal(write(fds[1], &down, sizeof down), sizeof down);
	assert_int_equal(write(fds[1], &up, sizeof up), sizeof up);
	assert_true(power_button_pressed(&buttons));
	assert_false(power_button_pressed(&buttons));
	assert_int_equal(buttons.count, 1);
	close(fds[1]);
	assert_false(power_button_pressed(&buttons));
	assert_int_equal(buttons.count, 0);
}

#define on_one_disk(test) cmocka_unit_test_setup_teardown(test, one_disk, no_disk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_one_disk(what_the_reader_answers_becomes_links),
		on_one_disk(a_hostile_answer_becomes_nothing),
		cmocka_unit_test(loops_and_ram_disks_are_not_looked_at),
		cmocka_unit_test(an_alias_is_given_to_modprobe_once),
		cmocka_unit_test(aliases_come_from_every_bus_and_those_of_processors_apart),
		cmocka_unit_test(static_nodes_are_read_as_depmod_writes_them),
		cmocka_unit_test(a_power_button_is_known_by_its_key),
		cmocka_unit_test(a_press_is_told_once_and_a_button_that_is_gone_is_closed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
