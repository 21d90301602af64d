/* Make the file system of the state partition, so that a power cut never leaves half of one.
 *
 * mke2fs writes in no order that a disk would keep. So the file system is born under another label, and gets its own
 * only when all of it was synced (commit_format.c); until then the next boot makes it anew. Superblocks of an earlier
 * life of the disk are wiped before: a cut must not leave one of them as the only one there is.
 * Nothing is discarded: on some hardware that takes minutes, and the inode tables are zeroed by the kernel later.
 */
#include "storage/format_state.h"

#include <errno.h>
#include <stdio.h>
#include <sys/param.h>

#include "lib/process.h"
#include "storage/inspect_state.h"

#define RESERVED_LEAST ((uint64_t)256 << 20)
#define FORMAT_TIMEOUT_MS 300000

unsigned reserved_percent_100(uint64_t bytes)
{
	uint64_t least = bytes ? (RESERVED_LEAST * 10000 + bytes - 1) / bytes : 0;

	return (unsigned)MIN(MAX(least, 500), 5000);
}

int format_state(const char *device, uint64_t bytes, struct err *err)
{
	unsigned percent = reserved_percent_100(bytes);
	char reserved[16];
	const char *const argv[] = {"mke2fs",
				    "-q",
				    "-F",
				    "-t",
				    "ext4",
				    "-b",
				    "4096",
				    "-m",
				    reserved,
				    "-L",
				    LABEL_FORMATTING,
				    "-E",
				    "lazy_itable_init=1,lazy_journal_init=1,nodiscard",
				    device,
				    NULL};
	const struct process mke2fs = {.argv = argv, .timeout_ms = FORMAT_TIMEOUT_MS, .quiet = true};
	int r;

	if (bytes < SMALLEST_STATE)
		return err_set(err, ENOSPC, "%s: expected at least %llu MiB for state, found %llu MiB", device,
			       (unsigned long long)(SMALLEST_STATE >> 20), (unsigned long long)(bytes >> 20));
	snprintf(reserved, sizeof reserved, "%u.%02u", percent / 100, percent % 100);
	r = forget_backups(device, err);
	return r < 0 ? r : process_run_ok(&mke2fs, err);
}
