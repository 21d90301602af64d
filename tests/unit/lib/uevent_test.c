#include "lib/uevent.h"

#include "lib/hex.h"
#include "unit/test.h"

static struct uevent event;

static int parse(const char *message, size_t len)
{
	static char buffer[UEVENT_MAX + 1];

	memcpy(buffer, message, len);
	return uevent_parse(buffer, len, &event);
}

#define PARSE(message) parse(message, sizeof(message) - 1)

static void an_event_of_the_kernel_is_taken_apart(void **state)
{
	(void)state;
	assert_int_equal(
		PARSE("add@/devices/pci0000:00/0000:00:04.0/virtio1/block/vda/vda3\0ACTION=add\0"
		      "DEVPATH=/devices/pci0000:00/0000:00:04.0/virtio1/block/vda/vda3\0SUBSYSTEM=block\0MAJOR=254\0"
		      "MINOR=3\0DEVNAME=vda3\0DEVTYPE=partition\0PARTN=3\0SEQNUM=1234\0"),
		0);
	assert_string_equal(event.action, "add");
	assert_string_equal(event.subsystem, "block");
	assert_string_equal(event.devname, "vda3");
	assert_string_equal(event.devtype, "partition");
	assert_null(event.modalias);
}

static void an_event_without_its_last_nul_is_ended_by_us(void **state)
{
	(void)state;
	assert_int_equal(PARSE("add@/a\0ACTION=add\0DEVPATH=/a\0SUBSYSTEM=pci\0MODALIAS=pci:v1"), 0);
	assert_string_equal(event.modalias, "pci:v1");
}

static void hostile_messages_are_refused(void **state)
{
	(void)state;
	assert_int_equal(PARSE(""), -EBADMSG);
	assert_int_equal(PARSE("libudev\0\xfe\xed\xca\xfe"), -EBADMSG);
	assert_int_equal(PARSE("add@"), -EBADMSG);
	assert_int_equal(PARSE("@/devices/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=block\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0DEVPATH=/x\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0SUBSYSTEM=block\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0DEVPATH=/x\0SUBSYSTEM=block\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0DEVPATH=/../etc\0SUBSYSTEM=block\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0DEVPATH=x\0SUBSYSTEM=block\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=../block\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=block\0DEVNAME=../etc/passwd\0"), -EBADMSG);
	assert_int_equal(PARSE("add@/x\0ACTION=add\0DEVPATH=/x\0SUBSYSTEM=block\0DEVNAME=/etc/passwd\0"), -EBADMSG);
}

static void any_cut_of_a_message_is_survived(void **state)
{
	static const char message[] =
		"add@/devices/x\0ACTION=add\0DEVPATH=/devices/x\0SUBSYSTEM=input\0DEVNAME=input/event0";
	(void)state;

	for (size_t len = 0; len < sizeof message; len++) {
		char *buffer = malloc(len + 1); /* the heap, so that ASan sees a read too far */

		memcpy(buffer, message, len);
		uevent_parse(buffer, len, &event);
		free(buffer);
	}
}

static void uuids_and_hashes_are_read_as_they_are_written(void **state)
{
	uint8_t uuid[16];
	char text[37];
	(void)state;

	assert_int_equal(uuid_bytes("C12A7328-F81F-11d2-ba4b-00a0c93ec93b", uuid), 0);
	uuid_text(uuid, text);
	assert_string_equal(text, "c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
	assert_int_equal(uuid_bytes("c12a7328-f81f-11d2-ba4b00a0c93ec93b-", uuid), -EINVAL);
	assert_int_equal(uuid_bytes("c12a7328-f81f-11d2-ba4b-00a0c93ec93", uuid), -EINVAL);
	assert_int_equal(uuid_bytes("g12a7328-f81f-11d2-ba4b-00a0c93ec93b", uuid), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_of_the_kernel_is_taken_apart),
		cmocka_unit_test(an_event_without_its_last_nul_is_ended_by_us),
		cmocka_unit_test(hostile_messages_are_refused),
		cmocka_unit_test(any_cut_of_a_message_is_survived),
		cmocka_unit_test(uuids_and_hashes_are_read_as_they_are_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
