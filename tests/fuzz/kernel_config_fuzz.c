/* A kernel's .config and what is required of it: the required lines, an empty line, the .config. */
#include "fuzz.h"

#include "boot/check_kernel_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len), *config = strstr(text, "\n\n");
	struct buf misses = {0};
	struct err err = {""};
	int r;

	if (config) {
		config[1] = 0;
		config += 2;
		r = check_kernel_config(text, config, &misses, &err);
		PROMISE(r >= 0 ? (r == 1) == (misses.len > 0) : err.text[0] != 0);
	}
	buf_free(&misses);
	free(text);
	return 0;
}
