/* The kernel command line, which a boot loader or a person may have written. */
#include "fuzz.h"

#include "boot/cmdline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len);
	struct cmdline cmdline;
	struct err err = {""};

	if (parse_cmdline(text, &cmdline, &err) < 0)
		PROMISE(!strncmp(err.text, "command line: ", 14));
	else
		PROMISE(cmdline.wait_seconds >= 1 && cmdline.wait_seconds <= 600);
	free(text);
	return 0;
}
