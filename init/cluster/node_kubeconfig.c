/* The admin kubeconfig leaves a virtual machine by the virtio-serial port keelson.kubeconfig, where there is one.
 *
 * A NUL byte behind it tells the reader that it is whole; a later one (after a renewal) follows. The port is opened
 * without blocking: a host that does not read must not hold the node.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/node.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define PORT_NAME "keelson.kubeconfig"
#define KUBECONFIG_MAX 65536

/* "vport2p1", the device whose port has our name. */
static bool find_port(const char *sys_directory, char *device, size_t size)
{
	DIR *directory = opendir(sys_directory);
	struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory))) {
		_cleanup_(buf_free) struct buf name = {0};
		char path[600];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s/name", sys_directory, entry->d_name);
		if (file_read(path, 200, &name, NULL) == 0 &&
		    !strncmp(buf_string(&name), PORT_NAME, strlen(PORT_NAME)) &&
		    strchr("\n", name.data[strlen(PORT_NAME)])) {
			snprintf(device, size, "%s", entry->d_name);
			found = true;
		}
	}
	if (directory)
		closedir(directory);
	return found;
}

/* With the terminating NUL. A port that takes part of it and then stalls has lost its reader. */
static int write_whole(int fd, const char *text, size_t len, struct err *err)
{
	size_t done = 0;

	for (int tries = 0; done < len && tries < 100; tries++) {
		ssize_t n = write(fd, text + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EAGAIN && errno != EINTR)
			return err_errno(err, "write");
		else if (!done)
			return err_set(err, EAGAIN, "nobody reads there yet");
		else
			node_sleep_ms(20);
	}
	return done == len ? 0 : err_set(err, EAGAIN, "only %zu of %zu bytes were taken", done, len);
}

int node_write_kubeconfig(const char *sys_directory, const char *dev_directory, const char *kubeconfig, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	_cleanup_close_ int fd = -1;
	char device[256], path[600];
	int r;

	if (!find_port(sys_directory, device, sizeof device))
		return 0;
	r = file_read(kubeconfig, KUBECONFIG_MAX, &text, err);
	if (r < 0)
		return r;
	snprintf(path, sizeof path, "%s/%s", dev_directory, device);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "open %s", path);
	r = write_whole(fd, text.data, text.len + 1, err);
	return r ? err_wrap(err, r, "%s", path) : 1;
}
