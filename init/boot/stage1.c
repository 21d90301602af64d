/* Stage 1: in the initramfs. One step after the other; a step that fails ends the boot with its reason. */
#include "boot/stage1.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "boot/find_root.h"
#include "boot/give_up.h"
#include "boot/modules.h"
#include "boot/mounts.h"
#include "boot/tell.h"
#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/uevent.h"

void open_standard_descriptors(void)
{
	for (int fd = 0; fd < 3; fd++) {
		int null = open("/dev/null", O_RDWR); /* these three are inherited */

		if (null < 0 || null == fd)
			continue;
		dup2(null, fd);
		close(null);
	}
}

/* The story's first line, and where its time starts: the kernel has just handed over. */
static void tell_kernel(void)
{
	struct utsname name;

	if (!uname(&name))
		tell("kernel", "%s", name.release);
}

static void tell_modules(const struct modules *modules, int64_t since)
{
	int64_t took = (boot_ms() - since) / 10;
	char failed[32] = "";

	if (modules->failed)
		snprintf(failed, sizeof failed, ", %u failed", modules->failed);
	tell("modules", "%u loaded%s (%d.%02d s)", modules->loaded, failed, (int)(took / 100), (int)(took % 100));
}

static void tell_root(const struct cmdline *cmdline, const struct root_candidate *root)
{
	char slot[24], hash[7];

	hex_text(cmdline->root_hash, 3, hash);
	if (root->damage[0])
		tell("root", "/dev/%s: the primary partition table is damaged (%s), its backup is used", root->disk,
		     root->damage);
	tell("root", "%s %s, verified %s…", root->label, slot_name(root->partition, slot), hash);
}

static int load_and_find(const struct cmdline *cmdline, struct modules *modules, struct root_candidate *root,
			 struct err *err)
{
	/* Before the modules: no disk may come unseen. Without the socket it looks every second. */
	_cleanup_close_ int events = uevent_open(NULL);
	int64_t since = boot_ms();
	pid_t basic;

	open_modules(modules);
	basic = start_basic_modules(modules);
	if (!access("/sys/firmware/efi", F_OK))
		load_asked_module(modules, "fs-efivarfs");
	mount_all(MOUNT_STAGE1, &mount_system, NULL); /* efivarfs is there now */
	load_matching_modules(modules, true);
	await_basic_modules(modules, basic);
	tell_modules(modules, since);
	if (!cmdline->has_root)
		return err_set(err, EINVAL,
			       "expected roothash=… on the command line, found none: boot the image's own "
			       "kernel image, which has it");
	return find_root(cmdline, events, modules, root, err);
}

_Noreturn void stage1(void)
{
	static struct modules modules; /* 30 KiB, off the stack */
	struct root_candidate root = {0};
	struct cmdline cmdline = {0};
	struct err err = {""};
	int r = mount_all(MOUNT_STAGE1, &mount_system, &err);

	open_standard_descriptors();
	tell_open();
	tell_kernel();
	if (!r)
		r = read_cmdline(&cmdline, &err);
	if (!r)
		r = load_and_find(&cmdline, &modules, &root, &err);
	if (!r)
		r = mount_root(&cmdline, &modules, &root, &err);
	if (!r)
		r = write_boot_env(&cmdline, &root, &err);
	if (r < 0)
		give_up("root", &err, cmdline.panic_halt);
	tell_root(&cmdline, &root);
	switch_root(&err);
	give_up("root", &err, cmdline.panic_halt);
}
