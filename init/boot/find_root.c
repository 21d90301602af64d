/* Find the partitions of the root by its hash, and wait for a disk that comes late.
 *
 * Every wait is bounded and told: after 5 s, then every 10 s, with the disks that were seen. Device events make it look
 * again at once; it looks every second anyway, since an event may be lost.
 */
#include "boot/find_root.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "boot/tell.h"
#include "lib/cleanup.h"
#include "lib/hex.h"
#include "lib/uevent.h"

#define QUIET_MS 100	/* without a new disk: those that are there are all there are */
#define PATIENT_MS 5000 /* for the disk that the loader named */
#define LOOK_AGAIN_MS 1000
#define TELL_FIRST_MS 5000
#define TELL_AGAIN_MS 10000
#define LOADER_PARTITION "/sys/firmware/efi/efivars/LoaderDevicePartUUID-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

int parse_loader_partition(const uint8_t *data, size_t len, uint8_t uuid[16])
{
	char text[37];

	/* 4 bytes of attributes, then UTF-16; the NUL at the end may be missing. */
	if (len < 4 + 2 * 36)
		return -EINVAL;
	for (size_t i = 0; i < 36; i++) {
		if (data[4 + 2 * i + 1])
			return -EINVAL;
		text[i] = (char)data[4 + 2 * i];
	}
	text[36] = 0;
	return uuid_bytes(text, uuid);
}

static int read_loader_partition(uint8_t uuid[16])
{
	_cleanup_close_ int fd = open(LOADER_PARTITION, O_RDONLY | O_CLOEXEC);
	uint8_t data[128];
	ssize_t n = fd < 0 ? -1 : read(fd, data, sizeof data);

	return n < 0 ? -errno : parse_loader_partition(data, (size_t)n, uuid);
}

/* Sleep until a device comes or goes, at most ms. Returns whether one was a disk. */
static bool await_device(int events, int64_t ms)
{
	struct pollfd ready = {events, POLLIN, 0};
	char buffer[UEVENT_MAX + 1];
	struct uevent event;
	bool changed = false;
	int r;

	poll(&ready, 1, (int)ms);
	while (events >= 0 && (r = uevent_take(events, buffer, &event)) != 0) {
		if (r == -ENOBUFS || (r > 0 && !strcmp(event.subsystem, "block")))
			changed = true;
		if (r < 0 && r != -ENOBUFS)
			break;
	}
	return changed;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int find_root(const struct cmdline *cmdline, int events, struct modules *modules, struct root_candidate *root,
	      struct err *err)
{
	uint8_t loader[16];
	const uint8_t *esp = cmdline->has_esp ? cmdline->esp : !read_loader_partition(loader) ? loader : NULL;
	int64_t start = boot_ms(), changed = start, tell_at = start + TELL_FIRST_MS;
	int64_t deadline = start + (int64_t)cmdline->wait_seconds * 1000;
	char disks[DISKS_TEXT_MAX], uuid[37];

	uuid_text(cmdline->root_hash, uuid);
	for (;;) {
		int64_t now = boot_ms();
		struct root_patience patience;
		struct roots_found found;
		int r;

		if (load_matching_modules(modules, false))
			changed = now = boot_ms();
		patience = (struct root_patience){now - changed >= QUIET_MS, now - start >= PATIENT_MS};
		scan_disks(cmdline->root_hash, esp, &found, disks);
		r = choose_root(&found, &patience, err);
		if (r >= 0)
			*root = found.candidates[r];
		if (r != -EAGAIN)
			return r < 0 ? r : 0;
		if (now >= deadline)
			return err_set(err, ETIMEDOUT,
				       "expected a disk with partition %s and its verity partition, found "
				       "none in %u s; disks: %s",
				       uuid, cmdline->wait_seconds, disks);
		if (now >= tell_at) {
			tell("root", "waiting for the disk with partition %s (%d s; gives up after %u s); disks: %s",
			     uuid, (int)((now - start) / 1000), cmdline->wait_seconds, disks);
			tell_at = now + TELL_AGAIN_MS;
		}
		if (await_device(events, found.count ? QUIET_MS : least(LOOK_AGAIN_MS, deadline - now)))
			changed = boot_ms();
	}
}
