/* Make a dm-verity device by the kernel's own interface: create it, load its table, resume it.
 *
 * Three ioctls of /dev/mapper/control are all that libdevmapper would do here.
 * Source: include/uapi/linux/dm-ioctl.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/verity_target.h"
#include "lib/cleanup.h"

struct request {
	struct dm_ioctl head;
	struct dm_target_spec target;
	char table[VERITY_TABLE_MAX];
};

static void begin(struct request *request, const char *name, uint32_t flags)
{
	memset(request, 0, sizeof *request);
	request->head.version[0] = 4;
	request->head.data_size = sizeof *request;
	request->head.data_start = offsetof(struct request, target);
	request->head.flags = flags;
	snprintf(request->head.name, sizeof request->head.name, "%s", name);
}

/* By syscall(2): the C libraries disagree about the type of a request's number. */
static int control_ioctl(int control, unsigned long what, struct request *request)
{
	return (int)syscall(SYS_ioctl, control, what, request);
}

static int load_table(int control, const char *name, const struct verity_target *verity, const char *table,
		      struct err *err)
{
	struct request request;

	begin(&request, name, DM_READONLY_FLAG);
	request.head.target_count = 1;
	request.target.length = verity->data_blocks * 8; /* sectors of 512 bytes */
	snprintf(request.target.target_type, sizeof request.target.target_type, "verity");
	snprintf(request.table, sizeof request.table, "%s", table);
	if (control_ioctl(control, DM_TABLE_LOAD, &request) < 0)
		return err_errno(err, "load the table \"%s\"", table);
	return 0;
}

int open_verity(const char *name, const struct verity_target *verity, const char *data_device,
		const char *verity_device, const uint8_t root_hash[32], char path[32], struct err *err)
{
	_cleanup_close_ int control = open("/dev/mapper/control", O_RDWR | O_CLOEXEC);
	char table[VERITY_TABLE_MAX];
	struct request request;
	uint64_t device;
	int r;

	if (control < 0)
		return err_errno(err, "open /dev/mapper/control (module dm-mod)");
	if (verity_target_table(verity, data_device, verity_device, root_hash, table, sizeof table) < 0)
		return err_set(err, EFBIG, "the table is longer than %d bytes", VERITY_TABLE_MAX);
	begin(&request, name, 0);
	if (control_ioctl(control, DM_DEV_CREATE, &request) < 0)
		return err_errno(err, "create %s", name);
	device = request.head.dev;
	r = load_table(control, name, verity, table, err);
	if (!r) {
		begin(&request, name, 0); /* no DM_SUSPEND_FLAG: resume */
		if (control_ioctl(control, DM_DEV_SUSPEND, &request) < 0)
			r = err_errno(err, "resume %s", name);
	}
	if (r < 0) {
		begin(&request, name, 0);
		control_ioctl(control, DM_DEV_REMOVE, &request);
		return r;
	}
	snprintf(path, 32, "/dev/dm-%u", (unsigned)((device & 0xff) | (device >> 12 & 0xfff00)));
	return 0;
}
