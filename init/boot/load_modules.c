/* Load the modules of the initramfs, in the order of its list.
 *
 * mkimage has put dependencies first and unpacked the files, so each is one finit_module(2). A module that fails is
 * told and does not stop the boot: whether it was needed shows when the root is there or not.
 */
#include "boot/load_modules.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "boot/tell.h"
#include "lib/cleanup.h"

#define MODULE_LIST "/modules/list"

char *next_module(char **at)
{
	char *line;

	while ((line = strsep(at, "\n"))) {
		line[strcspn(line, " \t\r#")] = 0;
		if (!strncmp(line, "/modules/", 9) && !strstr(line, ".."))
			return line;
	}
	return NULL;
}

/* Returns 0, -ENODEV when this machine has no use for it, or another -errno. */
static int load(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (!syscall(SYS_finit_module, fd, "", 0) || errno == EEXIST)
		return 0;
	/* ENOENT, an unknown symbol: what it stands on was itself of no use, as Hyper-V's bus without Hyper-V. */
	return errno == ENOENT || errno == EOPNOTSUPP ? -ENODEV : -errno;
}

static int read_list(char list[MODULE_LIST_MAX])
{
	_cleanup_close_ int fd = open(MODULE_LIST, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, list, MODULE_LIST_MAX - 1);

	if (n < 0)
		return -errno;
	list[n] = 0;
	return n == MODULE_LIST_MAX - 1 ? -EFBIG : 0;
}

void load_modules(struct modules_loaded *result)
{
	char list[MODULE_LIST_MAX], *at = list, *path;
	int r = read_list(list);

	*result = (struct modules_loaded){0};
	if (r < 0 && r != -ENOENT) {
		result->failed++;
		tell("modules", "%s: %s", MODULE_LIST, strerror(-r));
	}
	while (!r && (path = next_module(&at))) {
		r = load(path);
		result->loaded += !r;
		result->useless += r == -ENODEV;
		if (r < 0 && r != -ENODEV) {
			result->failed++;
			tell("modules", "%s: %s", path, strerror(-r));
		}
		r = 0;
	}
}
