/* What must be there before the first service starts, on the verified root. */
#include "boot/prepare_node.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "boot/mounts.h"
#include "lib/cleanup.h"

static const struct {
	const char *path;
	mode_t mode;
} directories[] = {
	{"/run/keelson", 0755},
	{"/run/lock", 0755},
	{"/run/user", 0755},
};

/* devtmpfs makes nodes, not these. */
static const struct {
	const char *link, *to;
} links[] = {
	{"/dev/fd", "/proc/self/fd"},	    {"/dev/stdin", "/proc/self/fd/0"}, {"/dev/stdout", "/proc/self/fd/1"},
	{"/dev/stderr", "/proc/self/fd/2"}, {"/dev/core", "/proc/kcore"},
};

static int make_runtime_files(struct err *err)
{
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
		if (mkdir(directories[i].path, directories[i].mode) < 0 && errno != EEXIST)
			return err_errno(err, "make %s", directories[i].path);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		if (symlink(links[i].to, links[i].link) < 0 && errno != EEXIST)
			return err_errno(err, "link %s", links[i].link);
	return 0;
}

/* A loopback link that is down breaks the kubelet's probes and etcd, so it is up before anything starts. */
static int raise_loopback(struct err *err)
{
	_cleanup_close_ int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = {.ifr_name = "lo"};

	if (fd < 0 || ioctl(fd, SIOCGIFFLAGS, &request) < 0)
		return err_errno(err, "link lo");
	request.ifr_flags |= IFF_UP;
	return ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? err_errno(err, "link lo up") : 0;
}

static void set_environment(void)
{
	clearenv();
	setenv("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/root", 1);
	umask(022);
	(void)!chdir("/");
}

int prepare_node(struct err *err)
{
	int r;

	set_environment();
	r = mount_all(MOUNT_STAGE2, &mount_system, err);
	if (!r && mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
		r = err_errno(err, "share / with pods");
	if (!r)
		r = make_runtime_files(err);
	if (!r)
		r = prepare_cgroups("/sys/fs/cgroup", err);
	if (!r)
		r = raise_loopback(err);
	if (r < 0)
		return r;
	write_sysctls("/proc/sys");
	/* Until `keelson config` knows better. */
	sethostname("keelson", strlen("keelson"));
	return 0;
}
