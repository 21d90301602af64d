/* Check and repair the file system of the state partition before it is mounted.
 *
 * e2fsck -p replays the journal and mends what needs no judgement; that is all a power cut leaves. Where it gives up,
 * -y answers every question: a node has nobody at its console, and what cannot be named goes to lost+found.
 * It is never made anew here: what is on it may be the only copy of a cluster.
 */
#include "storage/check_state.h"

#include <errno.h>
#include <stdint.h>

#include "lib/process.h"
#include "lib/story.h"

/* Together below TimeoutStartSec of storage.service. */
#define SAFE_TIMEOUT_MS (10 * 60 * 1000)
#define FULL_TIMEOUT_MS (60 * 60 * 1000)
#define TOLD_EVERY_MS 15000

enum check_result judge_e2fsck(int status)
{
	if (status < 0 || status & ~7) /* 8 operational error, 16 usage, 32 cancelled, 128 library */
		return CHECK_FAILED;
	if (status & 4)
		return CHECK_UNCORRECTED;
	return status ? CHECK_CORRECTED : CHECK_CLEAN;
}

static void tell(void *device, int seconds)
{
	story("checking %s (%d s)", (const char *)device, seconds);
}

static int run_e2fsck(const char *device, const char *mode, int timeout_ms, struct err *err)
{
	const char *const argv[] = {"e2fsck", mode, device, NULL};
	struct process e2fsck = {.argv = argv,
				 .quiet = true,
				 .timeout_ms = timeout_ms,
				 .tick_ms = TOLD_EVERY_MS,
				 .tick = tell,
				 .tick_arg = (void *)(uintptr_t)device};

	return process_run(&e2fsck, err);
}

int check_state(const char *device, bool *repaired, struct err *err)
{
	int status = run_e2fsck(device, "-p", SAFE_TIMEOUT_MS, err);
	enum check_result result = judge_e2fsck(status);

	*repaired = false;
	if (result == CHECK_CLEAN || result == CHECK_CORRECTED)
		return 0;
	if (status < 0)
		story("%s", err->text);
	story("%s is damaged (e2fsck -p ended with %d), repairing it", device, status);
	status = run_e2fsck(device, "-y", FULL_TIMEOUT_MS, err);
	result = judge_e2fsck(status);
	*repaired = true;
	if (result == CHECK_CLEAN || result == CHECK_CORRECTED)
		return 0;
	return err_wrap(err, status < 0 ? status : -EUCLEAN, "repair %s", device);
}
