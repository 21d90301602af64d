/* How a program that udhcpc or ntpd ran hands its message to the service that started it. */
#include "network/send_event.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static int name_socket(const char *path, struct sockaddr_un *to)
{
	memset(to, 0, sizeof *to);
	to->sun_family = AF_UNIX;
	if (strlen(path) >= sizeof to->sun_path)
		return -ENAMETOOLONG;
	memcpy(to->sun_path, path, strlen(path) + 1);
	return 0;
}

int event_connect(const char *path, struct err *err)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un to;

	if (fd < 0 || name_socket(path, &to) < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) < 0)
		return err_errno(err, "reach the service at %s", path);
	return take_fd(&fd);
}

void give_up_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_capset, &header, none);
}

int event_listen(const char *path, struct err *err)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un at;
	char parent[sizeof at.sun_path];
	char *slash;
	int r = name_socket(path, &at);

	if (fd < 0 || r < 0)
		return err_errno(err, "listen at %s", path);
	memcpy(parent, at.sun_path, sizeof parent);
	slash = strrchr(parent, '/');
	if (slash && slash != parent) {
		*slash = 0;
		r = make_directories(parent, 0755, err);
		if (r < 0)
			return r;
	}
	unlink(path);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) < 0 || chmod(path, 0600) < 0)
		return err_errno(err, "listen at %s", path);
	return take_fd(&fd);
}
