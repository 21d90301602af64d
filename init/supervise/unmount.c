/* Unmount everything, deepest first; what stays is made read-only. Runs in bounded children: both can sleep for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lib/story.h"
#include "supervise/node.h"

#define MOUNTS_MAX 4096
#define MOUNTINFO_MAX (4 << 20)
#define PASSES 4

struct mount_entry {
	char *path, *type;
};

static struct mount_entry mounts[MOUNTS_MAX];

/* mountinfo writes blanks as \040. */
static void unescape(char *text)
{
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] && text[3]) {
			*out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = 0;
}

/* "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw": fields 5 and the first behind " - ". */
static bool parse_mount(char *line, struct mount_entry *entry)
{
	char *dash = strstr(line, " - ");
	char *rest = line;

	if (!dash)
		return false;
	entry->type = dash + 3;
	for (unsigned k = 0; k < 5; k++)
		entry->path = strsep(&rest, " ");
	entry->type[strcspn(entry->type, " ")] = 0;
	if (!entry->path)
		return false;
	unescape(entry->path);
	return true;
}

static unsigned read_mounts(void)
{
	static char *text;
	unsigned count = 0;
	char *rest, *line;
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	ssize_t got;
	size_t used = 0;

	free(text);
	text = malloc(MOUNTINFO_MAX + 1);
	while (fd >= 0 && text && used < MOUNTINFO_MAX && (got = read(fd, text + used, MOUNTINFO_MAX - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		close(fd);
	if (!text)
		return 0;
	text[used] = 0;
	rest = text;
	while (count < MOUNTS_MAX && (line = strsep(&rest, "\n")))
		if (parse_mount(line, &mounts[count]))
			count++;
	return count;
}

static bool starts_with(const char *path, const char *folder)
{
	size_t len = strlen(folder);

	return !strncmp(path, folder, len) && (!path[len] || path[len] == '/');
}

/* The kernel's own file systems hold nothing that could be lost, and are needed to the end. */
static bool stays(const struct mount_entry *m)
{
	static const char *const folders[] = {"/proc", "/sys", "/dev"};

	if (!strcmp(m->path, "/") || !strcmp(m->path, "/run"))
		return true;
	for (unsigned k = 0; k < sizeof folders / sizeof folders[0]; k++)
		if (starts_with(m->path, folders[k]))
			return true;
	return false;
}

/* A server or daemon that does not answer any more would hold umount(2) for ever. */
static bool may_hang(const char *type)
{
	static const char *const types[] = {"nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "glusterfs", "afs"};

	for (unsigned k = 0; k < sizeof types / sizeof types[0]; k++)
		if (!strcmp(type, types[k]))
			return true;
	return !strncmp(type, "fuse", 4);
}

/* Later lines lie over earlier ones, so backwards is deepest first. */
static unsigned unmount_pass(void)
{
	unsigned left = 0;

	for (unsigned k = read_mounts(); k-- > 0;) {
		int flags = UMOUNT_NOFOLLOW;

		if (stays(&mounts[k]))
			continue;
		if (may_hang(mounts[k].type))
			flags |= MNT_FORCE | MNT_DETACH;
		if (umount2(mounts[k].path, flags) < 0)
			left++;
	}
	return left;
}

int unmount_all(void)
{
	unsigned left = 1;

	for (unsigned pass = 0; pass < PASSES && left; pass++) {
		if (pass)
			usleep(100000);
		left = unmount_pass();
	}
	for (unsigned k = read_mounts(); left && k-- > 0;)
		if (!stays(&mounts[k]))
			story("%s is still mounted, made read-only", mounts[k].path);
	return left ? 1 : 0;
}

int remount_all_readonly(void)
{
	int failed = 0;

	for (unsigned k = read_mounts(); k-- > 0;) {
		if (strcmp(mounts[k].path, "/") && stays(&mounts[k]))
			continue;
		if (mount(NULL, mounts[k].path, NULL, MS_REMOUNT | MS_RDONLY, NULL) < 0)
			failed = 1;
	}
	return failed;
}
