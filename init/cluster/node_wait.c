/* Bounded waiting that tells what it waits for. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "cluster/node.h"
#include "lib/story.h"

#define TELL_SECONDS 15

int64_t node_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return t.tv_sec;
}

void node_sleep_ms(int ms)
{
	struct timespec pause = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&pause, NULL);
}

static void tell_status(struct node_wait *wait, const char *reason)
{
	char status[sizeof wait->status];

	snprintf(status, sizeof status, "%s%s%s", wait->what, *reason ? ": " : "", reason);
	if (!strcmp(status, wait->status))
		return;
	memcpy(wait->status, status, sizeof status);
	notify_status(status);
}

struct node_wait node_wait_start(const char *what, int gives_up)
{
	int64_t now = node_seconds();
	struct node_wait wait = {what, now, now, gives_up, ""};

	tell_status(&wait, "");
	return wait;
}

static void tell_bound(int seconds, char *text, size_t size)
{
	if (seconds % 60)
		snprintf(text, size, "%d s", seconds);
	else
		snprintf(text, size, "%d min", seconds / 60);
}

bool node_wait_again(struct node_wait *wait, int sleep_ms, const char *reason)
{
	int64_t now = node_seconds();
	char bound[24];

	reason = reason ? reason : "";
	tell_status(wait, reason);
	if (now - wait->started >= wait->gives_up)
		return false;
	if (now - wait->told >= TELL_SECONDS) {
		wait->told = now;
		tell_bound(wait->gives_up, bound, sizeof bound);
		story("waiting for %s (%lld s; gives up after %s)%s%s", wait->what, (long long)(now - wait->started),
		      bound, *reason ? ": " : "", reason);
	}
	node_sleep_ms(sleep_ms);
	return true;
}
