/* Read what every boot executes into the page cache while the boot still waits for other things.
 *
 * The runtime is 47 MB that come through verity and decompression page by page as it starts; read in order beforehand,
 * on another processor, while storage is made ready, they are there when they are asked for. The image says what:
 * READ_AHEAD_LIST, a path a line, the most wanted first. A child does it at a low priority, and asks for a window ahead
 * of what it reads, so that the disk, verity and decompression do not wait for each other; whatever goes wrong there is
 * no trouble.
 *
 * It begins after the cgroups are made. Making the first one changes instructions of the kernel, and QEMU 7.2's
 * emulation of several processors can lose such a change when another processor comes by just then: both hang for ever.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

#include "boot/prepare_node.h"

#define READ_AHEAD_LIST "/usr/lib/keelson/read-ahead"
#define LIST_MAX 4096
#define NICE 5
#define WINDOW (2 << 20) /* bytes */

static void read_file(const char *path)
{
	static char chunk[128 * 1024];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	off_t done = 0, asked = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, chunk, sizeof chunk)) > 0) {
		done += n;
		for (; asked < done + WINDOW; asked += WINDOW / 2)
			posix_fadvise(fd, asked, WINDOW / 2, POSIX_FADV_WILLNEED);
	}
	if (fd >= 0)
		close(fd);
}

static _Noreturn void read_listed(void)
{
	char list[LIST_MAX], *at = list, *path;
	int fd = open(READ_AHEAD_LIST, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, list, sizeof list - 1);

	list[n > 0 ? n : 0] = 0;
	setpriority(PRIO_PROCESS, 0, NICE);
	while ((path = strsep(&at, "\n")))
		if (path[0] == '/')
			read_file(path);
	_exit(0);
}

void start_read_ahead(void)
{
	if (!fork())
		read_listed();
}
