/* A record of the kernel's log: names in it are what a pod's programs call themselves. */
#include "fuzz.h"

#include "api/kernel_trouble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *record = fuzz_string(data, len);
	struct kernel_trouble trouble;

	if (kernel_trouble_parse(record, &trouble)) {
		PROMISE(trouble.whose[0] && memchr(trouble.whose, 0, sizeof trouble.whose));
		PROMISE(!strchr(trouble.whose, '/') && memchr(trouble.program, 0, sizeof trouble.program));
		PROMISE(trouble.kind == TROUBLE_PROCESSES || trouble.limit);
	}
	free(record);
	return 0;
}
