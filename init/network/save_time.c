/* Keep a time that is known to be right. Source: rtc(4). */
#include "network/save_time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/rtc.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

#include "lib/cleanup.h"
#include "lib/file.h"

int save_time(const char *path, struct err *err)
{
	char text[32];
	int len = snprintf(text, sizeof text, "%lld\n", (long long)time(NULL));

	return file_write_atomic(path, text, (size_t)len, 0644, err);
}

int set_hardware_clock(const char *device, struct err *err)
{
	_cleanup_close_ int fd = open(device, O_RDONLY | O_CLOEXEC);
	struct rtc_time to = {0};
	time_t now = time(NULL);
	struct tm tm;

	if (fd < 0)
		return errno == ENOENT ? 0 : err_errno(err, "open %s", device);
	gmtime_r(&now, &tm);
	to.tm_sec = tm.tm_sec;
	to.tm_min = tm.tm_min;
	to.tm_hour = tm.tm_hour;
	to.tm_mday = tm.tm_mday;
	to.tm_mon = tm.tm_mon;
	to.tm_year = tm.tm_year;
	if (ioctl(fd, RTC_SET_TIME, &to) < 0)
		return err_errno(err, "set the hardware clock");
	return 0;
}
