/* Expected names are those of udev 252 for the same devices. */
#include "storage/device_names.h"

#include "unit/test.h"

static char name[LINK_NAME_MAX];

static void labels_are_escaped_as_udev_does(void **state)
{
	static const struct {
		const char *label, *name;
	} cases[] = {
		{"cidata", "cidata"},
		{"EFI System Partition", "EFI\\x20System\\x20Partition"},
		{"a/b", "a\\x2fb"},
		{"back\\slash", "back\\x5cslash"},
		{"#+-.:=@_09azAZ", "#+-.:=@_09azAZ"},
		{"Äpfel ☃", "Äpfel\\x20☃"},
		{"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf", "\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
		{"\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
		{"\xc1\xbf", "\\xc1\\xbf"}, /* longer than it need be */
		{"\xe0\x9f\xbf", "\\xe0\\x9f\\xbf"},
		{"\xf0\x8f\xbf\xbf", "\\xf0\\x8f\\xbf\\xbf"},
		{"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond the last */
		{"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
		{"\xe2\x98 x", "\\xe2\\x98\\x20x"}, /* cut short */
		{"\xff\xc3", "\\xff\\xc3"},
		{"\xed\xa0\x80", "\\xed\\xa0\\x80"}, /* half of a surrogate pair */
		{"\x1b[2J", "\\x1b\\x5b2J"},
		{"$(reboot)", "\\x24\\x28reboot\\x29"},
	};
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_true(escape_label(cases[i].label, name));
		assert_string_equal(name, cases[i].name);
	}
}

static void a_label_that_names_nothing_or_a_directory_is_refused(void **state)
{
	char longer[LINK_NAME_MAX + 10];
	(void)state;

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	assert_false(escape_label("", name));
	assert_false(escape_label(".", name));
	assert_false(escape_label("..", name));
	assert_false(escape_label(longer, name));
	memset(longer, ' ', sizeof longer - 1);
	assert_false(escape_label(longer, name));
	assert_true(escape_label("...", name));
}

static void serials_lose_their_blanks(void **state)
{
	char longer[LINK_NAME_MAX + 10];
	(void)state;

	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	plain_serial(longer, name);
	assert_int_equal(strlen(name), LINK_NAME_MAX - 1);
	plain_serial("  QEMU HARDDISK   v1  ", name);
	assert_string_equal(name, "QEMU_HARDDISK_v1");
	plain_serial("a/b\x01", name);
	assert_string_equal(name, "a_b_");
	plain_serial("a \xc3\xa4", name); /* no letters of other alphabets */
	assert_string_equal(name, "a___");
	plain_serial("   ", name);
	assert_string_equal(name, "");
}

static void a_virtio_disk_has_its_serial_and_its_slot(void **state)
{
	const struct disk_identity disk = {
		.name = "vda", .serial = "keelson-disk", .path = "pci0000:00/0000:00:04.0/virtio1/block/vda"};
	(void)state;

	assert_true(id_name(&disk, 0, name));
	assert_string_equal(name, "virtio-keelson-disk");
	assert_false(id_name(&disk, 1, name));
	assert_true(path_name(&disk, name));
	assert_string_equal(name, "pci-0000:00:04.0");
}

static void an_nvme_disk_has_model_and_serial_and_its_world_wide_name(void **state)
{
	const struct disk_identity disk = {.name = "nvme0n1",
					   .model = "QEMU NVMe Ctrl      ",
					   .nvme_serial = "keelson-disk  ",
					   .wwid = "nvme.1b36-6b65656c-51454d55-00000001",
					   .path = "pci0000:00/0000:00:1c.0/0000:01:00.0/nvme/nvme0/nvme0n1"};
	(void)state;

	assert_true(id_name(&disk, 0, name));
	assert_string_equal(name, "nvme-QEMU_NVMe_Ctrl_keelson-disk");
	assert_true(id_name(&disk, 1, name));
	assert_string_equal(name, "nvme-nvme.1b36-6b65656c-51454d55-00000001");
	assert_true(path_name(&disk, name));
	assert_string_equal(name, "pci-0000:01:00.0-nvme-1");
}

static void an_ata_disk_has_the_model_and_serial_of_its_identification(void **state)
{
	const struct disk_identity disk = {
		.name = "sda",
		.ata_port = 3,
		.model = "QEMU HARDDISK   ",
		.wwid = "t10.ATA     QEMU HARDDISK                           QM00005             ",
		.path = "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0/block/sda"};
	(void)state;

	assert_true(id_name(&disk, 0, name));
	assert_string_equal(name, "ata-QEMU_HARDDISK_QM00005");
	assert_true(path_name(&disk, name));
	assert_string_equal(name, "pci-0000:00:1f.2-ata-3");
}

static void a_scsi_disk_has_its_world_wide_name_and_its_address(void **state)
{
	const struct disk_identity disk = {
		.name = "sdb",
		.wwid = "naa.5000c500a1b2c3d4",
		.path = "pci0000:00/0000:00:05.0/virtio2/host7/target7:0:4/7:0:4:1/block/sdb"};
	(void)state;

	assert_true(id_name(&disk, 0, name));
	assert_string_equal(name, "wwn-0x5000c500a1b2c3d4");
	assert_true(path_name(&disk, name));
	assert_string_equal(name, "pci-0000:00:05.0-scsi-0:0:4:1");
}

static void a_usb_disk_has_its_port(void **state)
{
	const struct disk_identity disk = {
		.name = "sdc", .path = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host3/target3:0:0/3:0:0:0/block/sdc"};
	(void)state;

	assert_true(path_name(&disk, name));
	assert_string_equal(name, "pci-0000:00:14.0-usb-0:1:1.0-scsi-0:0:0:0");
}

static void a_mapped_device_has_its_name_and_no_path(void **state)
{
	const struct disk_identity disk = {
		.name = "dm-0", .dm_name = "root", .dm_uuid = "CRYPT-VERITY-1", .path = "virtual/block/dm-0"};
	(void)state;

	assert_true(id_name(&disk, 0, name));
	assert_string_equal(name, "dm-name-root");
	assert_true(id_name(&disk, 1, name));
	assert_string_equal(name, "dm-uuid-CRYPT-VERITY-1");
	assert_false(path_name(&disk, name));
}

static void hostile_identities_stay_one_file_name(void **state)
{
	struct disk_identity disk = {.name = "vda", .serial = "../../etc/passwd\n"};
	(void)state;

	assert_true(id_name(&disk, 0, name));
	assert_string_equal(name, "virtio-.._.._etc_passwd");
	memset(disk.serial, 'x', sizeof disk.serial - 1);
	memset(disk.wwid, 'y', sizeof disk.wwid - 1);
	for (unsigned i = 0; id_name(&disk, i, name); i++)
		assert_true(strlen(name) < LINK_NAME_MAX);
}

static void what_is_too_long_to_be_a_file_s_name_is_none(void **state)
{
	static struct disk_identity disk = {.name = "dm-0"};
	char label[LINK_NAME_MAX + 1];
	(void)state;

	for (int more = 0; more < 2; more++) {
		/* room for an escaped character is kept to the end */
		snprintf(label, sizeof label, "%0*d", LINK_NAME_MAX - 5 + more, 0);
		assert_int_equal(escape_label(label, name), !more);
		snprintf(disk.dm_name, sizeof disk.dm_name, "%0*d", LINK_NAME_MAX - 1 - 8 + more, 0);
		assert_int_equal(id_name(&disk, 0, name), !more); /* behind "dm-name-" */
		snprintf(disk.path, sizeof disk.path, "0000:00:14.0/2-:.%0*d/dm-0",
			 LINK_NAME_MAX - 1 - 16 - 7 - 2 + more, 0);
		assert_int_equal(path_name(&disk, name), !more); /* "pci-0000:00:14.0-usb-0:" and what is behind "2-" */
		assert_true(more || strlen(name) == LINK_NAME_MAX - 1);
	}
}

static void model_and_serial_together_are_one_name_or_none(void **state)
{
	static struct disk_identity disk = {.name = "nvme0n1", .nvme_serial = "s"};
	(void)state;

	for (int more = 0; more < 2; more++) {
		snprintf(disk.model, sizeof disk.model, "%0*d", LINK_NAME_MAX - 1 - 5 - 2 + more, 0);
		assert_int_equal(id_name(&disk, 0, name), !more); /* "nvme-MODEL_s" */
	}
}

static void only_whole_parts_of_a_path_say_where_a_disk_is(void **state)
{
	static const char *const paths[][2] = {
		{"pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1/nvme0n1p3", "pci-0000:01:00.0-nvme-1"},
		{"pci0000:00/0000:00:14.0/usb2/a.b/2-1/2.1/2:1/block", "pci-0000:00:14.0"},
		{"pci0000:00/0000:00:05.0/0:0:4:1x/block/sda", "pci-0000:00:05.0"},
		{"pci0000:00/0000:00:05.0x/0000:00:06.0/block/sda", "pci-0000:00:06.0"},
	};
	static struct disk_identity disk;
	(void)state;

	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		strcpy(disk.path, paths[i][0]);
		assert_true(path_name(&disk, name));
		assert_string_equal(name, paths[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_escaped_as_udev_does),
		cmocka_unit_test(a_label_that_names_nothing_or_a_directory_is_refused),
		cmocka_unit_test(serials_lose_their_blanks),
		cmocka_unit_test(a_virtio_disk_has_its_serial_and_its_slot),
		cmocka_unit_test(an_nvme_disk_has_model_and_serial_and_its_world_wide_name),
		cmocka_unit_test(an_ata_disk_has_the_model_and_serial_of_its_identification),
		cmocka_unit_test(a_scsi_disk_has_its_world_wide_name_and_its_address),
		cmocka_unit_test(a_usb_disk_has_its_port),
		cmocka_unit_test(a_mapped_device_has_its_name_and_no_path),
		cmocka_unit_test(hostile_identities_stay_one_file_name),
		cmocka_unit_test(what_is_too_long_to_be_a_file_s_name_is_none),
		cmocka_unit_test(model_and_serial_together_are_one_name_or_none),
		cmocka_unit_test(only_whole_parts_of_a_path_say_where_a_disk_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
