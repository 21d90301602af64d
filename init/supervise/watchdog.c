/* The hardware watchdog: fed by the loop, and only by it. A loop that stands still for a minute resets the machine.
 *
 * On the way down it is fed as long as phases move, which their bounds guarantee; from reboot(2) on it is not fed any
 * more, so that a machine which does not go down is reset.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervise/node.h"

#define TIMEOUT_S 60
#define FEED_MS 15000
#define SEEK_MS 200

/* The two C libraries disagree about the type of ioctl's request. */
static long device(int fd, unsigned long request, int *value)
{
	return syscall(SYS_ioctl, fd, request, value);
}

/* Not in every round, but once more after the last of many. */
void watchdog_seek(struct node *n, int64_t now)
{
	int seconds = TIMEOUT_S, status = 0;

	if (n->watchdog >= 0)
		return;
	n->watchdog_due = now < n->watchdog_at && !n->machine.ending;
	if (n->watchdog_due || n->machine.ending)
		return;
	n->watchdog_at = now + SEEK_MS;
	n->watchdog = open(n->watchdog_path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (n->watchdog < 0)
		return;
	n->watchdog_period = FEED_MS;
	if (device(n->watchdog, WDIOC_SETTIMEOUT, &seconds) < 0 &&
	    device(n->watchdog, WDIOC_GETTIMEOUT, &seconds) == 0 && seconds > 0)
		n->watchdog_period = (int64_t)seconds * 1000 / 4;
	n->watchdog_at = now;
	if (device(n->watchdog, WDIOC_GETBOOTSTATUS, &status) == 0 && (status & WDIOF_CARDRESET))
		node_tell(n, -1, "the boot before was ended by the hardware watchdog: PID 1 had stopped feeding it");
	node_tell(n, -1, "the hardware watchdog is armed");
}

void watchdog_feed(struct node *n, int64_t now)
{
	if (n->watchdog < 0 || now < n->watchdog_at)
		return;
	if (n->machine.phase == PHASE_END) {
		n->watchdog_at = INT64_MAX;
		return;
	}
	n->watchdog_at = now + n->watchdog_period;
	(void)!write(n->watchdog, "\0", 1); /* an error of the device is no reason to stop anything */
}
