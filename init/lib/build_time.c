/* When the image was built: BUILD_TIME of its os-release, as mkimage wrote it. */
#include "lib/build_time.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int64_t seconds_of(const char *text)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || (*end && *end != '\n' && *end != '"') || value < 0)
		return 0;
	return value;
}

int64_t build_time(const char *os_release)
{
	static const char key[] = "BUILD_TIME=";

	for (const char *line = os_release; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, key, sizeof key - 1)) {
			line += sizeof key - 1;
			return seconds_of(line + (*line == '"'));
		}
	}
	return 0;
}
