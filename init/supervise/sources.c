/* Descriptors in and out of the loop. */
#include <errno.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "supervise/node.h"

int source_add(struct node *n, int fd, uint32_t events, enum source source, unsigned index)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint64_t)index << 32 | source};

	return epoll_ctl(n->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

/* Removed by hand: a child that was forked meanwhile still holds the file, and epoll would keep telling of it. */
void source_close(struct node *n, int *fd)
{
	if (*fd < 0)
		return;
	epoll_ctl(n->epoll, EPOLL_CTL_DEL, *fd, NULL);
	close(*fd);
	*fd = -1;
}

int64_t now_ms_boot(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
