/* What pods took from the node. Sources: Linux Documentation/admin-guide/cgroup-v2.rst (memory.events, which counts what
 * happened below, too); the kubelet's eviction thresholds (nodefs.available, 10 % unless it is configured otherwise). */
#include "api/pressure.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define EVENTS_MAX 4096
#define EVICTED_BELOW 10
#define TIGHT_BELOW 15

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

void pressure_gather(const char *kubepods, const char *var, struct pressure *pressure)
{
	struct statvfs fs;

	*pressure = (struct pressure){read_ended(kubepods), -1};
	if (!statvfs(var, &fs) && fs.f_blocks)
		pressure->free_percent = (int)((double)fs.f_bavail * 100 / (double)fs.f_blocks);
}

int pressure_text(const struct pressure *pressure, struct buf *out)
{
	bool known = pressure->free_percent >= 0;
	int r = 0;

	if (known && pressure->free_percent < EVICTED_BELOW)
		r = buf_addf(out, "/var: less than %d %% free, pods that fill it are evicted\n", EVICTED_BELOW);
	else if (known && pressure->free_percent < TIGHT_BELOW)
		r = buf_addf(out, "/var: less than %d %% free\n", TIGHT_BELOW);
	if (!r && pressure->ended)
		r = buf_addf(out, "pods: %llu program%s ended by the kernel for lack of memory\n", pressure->ended,
			     pressure->ended == 1 ? "" : "s");
	return r;
}
