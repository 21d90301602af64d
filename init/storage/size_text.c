/* Sizes as a person reads them. */
#include "storage/size_text.h"

#include <stdio.h>
#include <sys/statvfs.h>

const char *size_text(uint64_t bytes, char text[SIZE_TEXT_LEN])
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	unsigned unit = 0;
	uint64_t scaled = bytes, rest = 0;

	while (scaled >= 1024) {
		rest = scaled % 1024;
		scaled /= 1024;
		unit++;
	}
	if (scaled < 10 && rest * 10 / 1024)
		snprintf(text, SIZE_TEXT_LEN, "%u.%u %s", (unsigned)scaled, (unsigned)(rest * 10 / 1024), units[unit]);
	else
		snprintf(text, SIZE_TEXT_LEN, "%u %s", (unsigned)scaled, units[unit]);
	return text;
}

int describe_fullness(const char *path, struct err *err)
{
	struct statvfs now;

	if (statvfs(path, &now) < 0 || now.f_bavail > now.f_blocks / 100)
		return 0;
	err_set(err, 0, "%s is full: %s left, of them %s for pods; free some through the API (images, logs, volumes)",
		path, SIZE_TEXT((uint64_t)now.f_bfree * now.f_frsize),
		SIZE_TEXT((uint64_t)now.f_bavail * now.f_frsize));
	return 1;
}
