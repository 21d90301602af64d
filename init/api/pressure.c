/* What pods took from the node. Sources: Linux Documentation/admin-guide/cgroup-v2.rst (memory.events, which counts
 * what happened below, too); the kubelet's eviction thresholds: images and pods' files share /var, so it is
 * imagefs.available (15 % unless it is configured otherwise) that is reached first, not nodefs.available (10 %).
 */
#include "api/pressure.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define EVENTS_MAX 4096
#define EVICTED_BELOW 15
#define TIGHT_BELOW 20

const struct pressure_paths pressure_paths = {"/sys/fs/cgroup/kubepods", "/var", VAR_FULL, EVICTED};

static unsigned long long read_ended(const char *kubepods)
{
	static const char key[] = "\noom_kill ";
	_cleanup_(buf_free) struct buf events = {0};
	char path[PATH_MAX];
	const char *at;

	snprintf(path, sizeof path, "%s/memory.events", kubepods);
	if (file_read(path, EVENTS_MAX, &events, NULL) < 0)
		return 0;
	at = strstr(buf_string(&events), key);
	return at ? strtoull(at + sizeof key - 1, NULL, 10) : 0;
}

void pressure_gather(const struct pressure_paths *paths, struct pressure *pressure)
{
	struct statvfs fs;
	struct stat st;

	*pressure = (struct pressure){.ended = read_ended(paths->kubepods),
				      .free_percent = -1,
				      .full_until = stat(paths->full, &st) < 0 ? 0 : st.st_mtime};
	evictions_load(paths->evicted, &pressure->evictions);
	if (!statvfs(paths->var, &fs) && fs.f_blocks)
		pressure->free_percent = (int)((double)fs.f_bavail * 100 / (double)fs.f_blocks);
}

static bool evicts(const struct pressure *pressure)
{
	return pressure->free_percent >= 0 && pressure->free_percent < EVICTED_BELOW;
}

void pressure_remember(const char *full, const struct pressure *pressure)
{
	_cleanup_close_ int fd = evicts(pressure) ? open(full, O_WRONLY | O_CREAT | O_CLOEXEC, 0644) : -1;

	if (fd >= 0)
		(void)futimens(fd, NULL);
}

static int add_past(time_t until, struct buf *out)
{
	struct tm parts;
	char text[32];

	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&until, &parts));
	return buf_addf(out, "/var: had less than %d %% free until %s\n", EVICTED_BELOW, text);
}

int pressure_text(const struct pressure *pressure, struct buf *out)
{
	int r = 0;

	if (evicts(pressure))
		r = buf_addf(out, "/var: less than %d %% free, pods that fill it are evicted\n", EVICTED_BELOW);
	else if (pressure->free_percent >= EVICTED_BELOW && pressure->free_percent < TIGHT_BELOW)
		r = buf_addf(out, "/var: less than %d %% free\n", TIGHT_BELOW);
	if (!r && pressure->full_until && !evicts(pressure))
		r = add_past(pressure->full_until, out);
	if (!r && pressure->ended)
		r = buf_addf(out, "pods: %llu program%s ended by the kernel for lack of memory\n", pressure->ended,
			     pressure->ended == 1 ? "" : "s");
	return r ? r : evictions_text(&pressure->evictions, out);
}
