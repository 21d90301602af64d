/* Verify and mount the root, read-only.
 *
 * Nothing of the root is used before dm-verity lies over it. The type of the file system is read through dm-verity
 * too, so that it is the builder's word.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/stage1.h"
#include "boot/verity_target.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/hex.h"
#include "lib/little_endian.h"

#define ROOT_DEVICE_NAME "root"
#define EROFS_MAGIC 0xe0f5e1e2U
#define SQUASHFS_MAGIC 0x73717368U /* "hsqs" */

static int read_start(const char *device, void *data, size_t len, struct err *err)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return err_errno(err, "open %s", device);
	n = pread(fd, data, len, 0);
	if (n < 0)
		return err_errno(err, "read %s", device);
	return (size_t)n == len ? 0 : err_set(err, EIO, "read %s: expected %zu bytes, found %zd", device, len, n);
}

static const char *file_system_type(const uint8_t start[2048])
{
	if (le32_at(start) == SQUASHFS_MAGIC)
		return "squashfs";
	return le32_at(start + 1024) == EROFS_MAGIC ? "erofs" : NULL;
}

static int verify(const struct cmdline *cmdline, const struct root_candidate *root, char device[32], struct err *err)
{
	uint8_t superblock[VERITY_SUPERBLOCK_BYTES];
	struct verity_target target;
	char path[64];
	int r;

	snprintf(path, sizeof path, "/dev/%s", root->verity);
	r = read_start(path, superblock, sizeof superblock, err);
	if (!r)
		r = verity_target_parse(superblock, root->root_bytes, root->verity_bytes, &target, err);
	if (r < 0)
		return err_wrap(err, r, "verity partition %s", root->verity);
	r = open_verity(ROOT_DEVICE_NAME, &target, root->root_number, root->verity_number, cmdline->root_hash, device,
			err);
	return r < 0 ? err_wrap(err, r, "dm-verity over /dev/%s", root->root) : 0;
}

int mount_root(const struct cmdline *cmdline, struct modules *modules, const struct root_candidate *root,
	       struct err *err)
{
	uint8_t start[2048] = {0};
	char device[32], alias[16];
	const char *type;
	int r = verify(cmdline, root, device, err);

	if (!r)
		r = read_start(device, start, sizeof start, err);
	if (r < 0)
		return r;
	type = file_system_type(start);
	if (!type)
		return err_set(err, EINVAL, "/dev/%s: expected squashfs or erofs, found neither", root->root);
	snprintf(alias, sizeof alias, "fs-%s", type);
	load_asked_module(modules, alias);
	mkdir(SYSROOT, 0755);
	if (mount(device, SYSROOT, type, MS_RDONLY | MS_NODEV | MS_NOSUID, NULL) == 0)
		return 0;
	if (errno == ENODEV)
		return err_set(err, ENODEV,
			       "mount /dev/%s: expected a kernel that knows %s, found none: its module did not load",
			       root->root, type);
	return err_errno(err, "mount %s (%s over /dev/%s)", device, type, root->root);
}

int write_boot_env(const struct cmdline *cmdline, const struct root_candidate *root, struct err *err)
{
	char text[1024], hash[65];
	int n;

	hex_text(cmdline->root_hash, sizeof cmdline->root_hash, hash);
	n = snprintf(text, sizeof text,
		     "ROOT_DISK=/dev/%s\nROOT_PARTITION=/dev/%s\nVERITY_PARTITION=/dev/%s\n"
		     "ROOT_NUMBER=%u\nROOT_HASH=%s\n",
		     root->disk, root->root, root->verity, root->partition, hash);
	return file_write_atomic(BOOT_ENV_PATH, text, (size_t)n, 0644, err);
}
