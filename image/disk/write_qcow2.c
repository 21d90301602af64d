/* The raw disk as qcow2. */
#include "disk/write_qcow2.h"

#include <stddef.h>

#include "lib/cleanup.h"
#include "lib/output_file.h"
#include "lib/process.h"

#define TIMEOUT_MS (20 * 60 * 1000)

int write_qcow2(const char *raw, const char *output, bool compressed, struct err *err)
{
	_cleanup_(output_abandon) struct output_file out = OUTPUT_FILE_NONE;
	int r = output_open(&out, output, err);
	const char *plain[] = {"qemu-img", "convert", "-f", "raw", "-O", "qcow2", "-m", "2", raw, out.beside, NULL};
	const char *packed[] = {
		"qemu-img", "convert",	"-f", "raw", "-O", "qcow2", "-m", "2", "-c", "-o", "compression_type=zstd",
		raw,	    out.beside, NULL};
	struct process convert = {.argv = compressed ? packed : plain, .timeout_ms = TIMEOUT_MS};

	if (!r)
		r = process_run_ok(&convert, err);
	if (!r)
		r = output_commit(&out, err);
	return r < 0 ? err_wrap(err, r, "qcow2 of %s", raw) : 0;
}
