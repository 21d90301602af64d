/* Sleep until a medium or disk may have changed. */
#include "config/wait_change.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/uevent.h"

#define POLL_PERIOD "/sys/module/block/parameters/events_dfl_poll_msecs"
#define SETTLE_MS 200 /* a disk's partitions follow it, and devtmpfs the event */

void wait_change_open(struct wait_change *wait)
{
	int fd = uevent_open(NULL);

	*wait = (struct wait_change){.events = fd < 0 ? -1 : fd};
}

void wait_change_poll_media(struct wait_change *wait)
{
	if (!wait->polls_media)
		wait->polls_media = file_poke(POLL_PERIOD, "2000", NULL) == 0;
}

void wait_change_close(struct wait_change *wait)
{
	if (wait->polls_media)
		file_poke(POLL_PERIOD, "0", NULL);
	closep(&wait->events);
	*wait = (struct wait_change){.events = -1};
}

static int64_t monotonic_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Take all events that wait. Returns whether one of them is about a block device. */
static bool take_events(int fd)
{
	char buffer[UEVENT_MAX + 1];
	struct uevent event;
	bool block = false;
	int r;

	while ((r = uevent_take(fd, buffer, &event)) > 0)
		block |= event.subsystem && !strcmp(event.subsystem, "block") && event.action &&
			 strcmp(event.action, "remove");
	return block || r == -ENOBUFS;
}

bool wait_for_change(struct wait_change *wait, int ms)
{
	int64_t deadline = monotonic_ms() + ms;

	for (;;) {
		struct pollfd fd = {wait->events, POLLIN, 0};
		int64_t left = deadline - monotonic_ms();
		struct timespec settle = {0, SETTLE_MS * 1000000L};

		if (left <= 0)
			return false;
		if (poll(&fd, 1, (int)left) <= 0)
			continue;
		if (!take_events(wait->events))
			continue;
		nanosleep(&settle, NULL);
		take_events(wait->events);
		return true;
	}
}
