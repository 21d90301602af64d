/* What is on the state partition: 2048 bytes of its beginning, then 1024 of where the first backup superblock lies. */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "storage/inspect_state.h"

#define BACKUP ((off_t)32768 * 4096)
#define DEVICE_BYTES (BACKUP + (16 << 20))

static void check(const struct state_content *content)
{
	PROMISE(memchr(content->primary.label, 0, sizeof content->primary.label));
	PROMISE(memchr(content->backup.label, 0, sizeof content->backup.label));
	PROMISE(memchr(content->found, 0, sizeof content->found));
	PROMISE(decide_state(content) <= STATE_REFUSE);
}

/* Once the copies are forgotten, none is found. */
static void forget(const char *device)
{
	struct state_content content;

	PROMISE(!forget_backups(device, NULL) && !inspect_state(device, &content, NULL));
	PROMISE(!content.backup.present);
}

static void put(int fd, const uint8_t *data, size_t len, off_t at)
{
	PROMISE(pwrite(fd, data, len, at) == (ssize_t)len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("state", MFD_CLOEXEC);
	struct state_content content;
	char device[40];

	PROMISE(fd >= 0 && !ftruncate(fd, DEVICE_BYTES));
	snprintf(device, sizeof device, "/proc/self/fd/%d", fd);
	put(fd, data, len < 2048 ? len : 2048, 0);
	if (len > 2048)
		put(fd, data + 2048, len - 2048 < 1024 ? len - 2048 : 1024, BACKUP);
	if (inspect_state(device, &content, NULL) == 0) {
		check(&content);
		content.in_use = true;
		PROMISE(decide_state(&content) <= STATE_REFUSE);
		if (content.backup.present)
			forget(device);
	}
	close(fd);
	return 0;
}
