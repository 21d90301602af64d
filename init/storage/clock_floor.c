/* A clock that is not absurd, before anything looks at it.
 *
 * No battery, an emptied one, or a hypervisor's whim give 1970 or 2099. Certificates are valid from the image's build
 * time on, so a clock before that makes every one of them invalid; a clock far ahead expires them, and comes back
 * with a jump into the past at the first NTP answer. Ahead by more than 15 years is what systemd calls absurd too.
 */
#include "storage/clock_floor.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/param.h>
#include <time.h>

#include "lib/buf.h"
#include "lib/build_time.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/story.h"

#define AHEAD_MOST ((int64_t)15 * 365 * 86400)

enum clock_verdict judge_clock(int64_t now, int64_t built, int64_t saved, int64_t *set_to)
{
	int64_t floor = MAX(saved, built);

	*set_to = now;
	if (now < floor) {
		*set_to = floor;
		return CLOCK_BEHIND;
	}
	if (floor > 0 && now - floor > AHEAD_MOST) {
		*set_to = floor;
		return CLOCK_AHEAD;
	}
	return CLOCK_RIGHT;
}

static void day(int64_t at, char text[32])
{
	time_t t = (time_t)at;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, 32, "%Y-%m-%d %H:%M", &tm))
		snprintf(text, 32, "%" PRId64, at);
}

int set_clock_floor(const char *os_release, const char *saved, struct err *err)
{
	_cleanup_(buf_free) struct buf release = {0}, kept = {0};
	int64_t now = (int64_t)time(NULL), set_to;
	struct timespec to = {0};
	enum clock_verdict verdict;
	char was[32], is[32];

	file_read(os_release, 65536, &release, NULL);
	file_read(saved, 64, &kept, NULL);
	verdict = judge_clock(now, build_time(buf_string(&release)), seconds_of(buf_string(&kept)), &set_to);
	if (verdict == CLOCK_RIGHT)
		return 0;
	to.tv_sec = (time_t)set_to;
	if (clock_settime(CLOCK_REALTIME, &to) < 0)
		return err_errno(err, "set the clock");
	day(now, was);
	day(set_to, is);
	story("the hardware clock says %s, which is too far %s: set to %s until NTP answers", was,
	      verdict == CLOCK_BEHIND ? "back" : "ahead", is);
	return 0;
}
