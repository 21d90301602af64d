/* The kernel's file systems that a node needs: one row each, with the reason.
 *
 * Order is the order of mounting: what lies below another comes after it. Stage 1 mounts its rows in the initramfs and
 * moves them to the root; stage 2 mounts them itself where it was started without a stage 1.
 */
#include "boot/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define PSEUDO (MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define MEMORY (MS_NOSUID | MS_NODEV)

/* clang-format off */
const struct mount_row mount_rows[] = {
	{MOUNT_STAGE1, "/proc", "proc", NULL, PSEUDO, {NULL}, MOUNT_NEEDED, "processes, sysctls, the command line"},
	{MOUNT_STAGE1, "/sys", "sysfs", NULL, PSEUDO, {NULL}, MOUNT_NEEDED, "devices and their drivers"},
	{MOUNT_STAGE1, "/dev", "devtmpfs", "mode=0755,size=4m", MS_NOSUID | MS_NOEXEC, {NULL}, MOUNT_NEEDED, "device nodes"},
	{MOUNT_STAGE1, "/run", "tmpfs", "mode=0755,size=20%", MEMORY, {NULL}, MOUNT_NEEDED,
	 "what lives until the next boot; bounded, so that a leak cannot take all memory"},
	{MOUNT_STAGE1, "/sys/firmware/efi/efivars", "efivarfs", NULL, PSEUDO, {NULL}, MOUNT_OPTIONAL,
	 "which partition the boot loader came from; none on a BIOS machine"},
	{MOUNT_STAGE2, "/dev/pts", "devpts", "mode=0620,gid=5,ptmxmode=0666", MS_NOSUID | MS_NOEXEC, {"/dev/pts"}, MOUNT_NEEDED,
	 "terminals: kubectl exec -t"},
	{MOUNT_STAGE2, "/dev/shm", "tmpfs", "mode=1777,size=50%", MEMORY, {"/dev/shm"}, MOUNT_NEEDED, "POSIX shared memory"},
	{MOUNT_STAGE2, "/dev/mqueue", "mqueue", NULL, PSEUDO, {"/dev/mqueue"}, MOUNT_OPTIONAL, "POSIX message queues"},
	{MOUNT_STAGE2, "/dev/hugepages", "hugetlbfs", NULL, MEMORY, {"/dev/hugepages"}, MOUNT_OPTIONAL, "huge pages for pods"},
	{MOUNT_STAGE2, "/sys/fs/cgroup", "cgroup2", "nsdelegate,memory_recursiveprot", PSEUDO, {NULL}, MOUNT_NEEDED,
	 "one group per service and per pod"},
	{MOUNT_STAGE2, "/sys/fs/bpf", "bpf", "mode=0700", PSEUDO, {NULL}, MOUNT_OPTIONAL | MOUNT_NO_MODPROBE,
	 "pinned programs of network plugins"},
	{MOUNT_STAGE2, "/sys/kernel/security", "securityfs", NULL, PSEUDO, {NULL}, MOUNT_OPTIONAL, "AppArmor's profiles"},
	{MOUNT_STAGE2, "/sys/kernel/tracing", "tracefs", "mode=0700", PSEUDO, {NULL}, MOUNT_OPTIONAL, "kprobes of observers"},
	{MOUNT_STAGE2, "/sys/fs/pstore", "pstore", NULL, PSEUDO, {NULL}, MOUNT_OPTIONAL, "the last words of a kernel that died"},
	{MOUNT_STAGE2, "/tmp", "tmpfs", "mode=1777,size=20%", MEMORY, {NULL}, MOUNT_NEEDED, "bounded as /run is"},
	{MOUNT_STAGE2, "/etc", "overlay", "lowerdir=/etc,upperdir=/run/etc/upper,workdir=/run/etc/work", MEMORY,
	 {"/run/etc", "/run/etc/upper", "/run/etc/work"}, MOUNT_NEEDED, "configuration is made anew at each boot"},
};
/* clang-format on */

const size_t mount_rows_count = sizeof mount_rows / sizeof *mount_rows;

/* What is mounted on has another device than what holds it. */
static bool is_mounted(const char *target)
{
	struct stat at, above;
	char parent[128];

	if ((size_t)snprintf(parent, sizeof parent, "%s/..", target) >= sizeof parent)
		return false;
	return !lstat(target, &at) && !stat(parent, &above) && at.st_dev != above.st_dev;
}

static int make_directory(const char *path)
{
	return mkdir(path, 0755) < 0 && errno != EEXIST ? -errno : 0;
}

static void set_modprobe(const char *program)
{
	int fd = open("/proc/sys/kernel/modprobe", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)!write(fd, program, strlen(program));
	close(fd);
}

static int do_mount(const struct mount_row *row)
{
	int r;

	if (row->traits & MOUNT_NO_MODPROBE)
		set_modprobe("\n");
	r = mount(row->type, row->target, row->type, row->flags, row->data) < 0 ? -errno : 0;
	if (row->traits & MOUNT_NO_MODPROBE)
		set_modprobe("/sbin/modprobe\n");
	return r;
}

const struct mount_system mount_system = {is_mounted, make_directory, do_mount};

static int mount_row(const struct mount_row *row, const struct mount_system *system)
{
	int r = 0;

	if (system->is_mounted(row->target))
		return 0;
	for (size_t i = 0; !r && i < 3 && row->make[i]; i++)
		r = system->make_directory(row->make[i]);
	return r < 0 ? r : system->mount(row);
}

int mount_all(enum mount_stage stage, const struct mount_system *system, struct err *err)
{
	for (size_t i = 0; i < mount_rows_count; i++) {
		const struct mount_row *row = &mount_rows[i];
		int r = row->stage <= stage ? mount_row(row, system) : 0;

		if (r < 0 && r != -EBUSY && !(row->traits & MOUNT_OPTIONAL))
			return err_set(err, -r, "mount %s on %s: %s", row->type, row->target, strerror(-r));
	}
	return 0;
}
