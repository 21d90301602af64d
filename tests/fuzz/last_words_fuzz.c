/* What a dying kernel left in the firmware's memory: one printable line of it is shown. */
#include "fuzz.h"

#include <ctype.h>

#include "storage/last_words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char reason[LAST_WORDS_REASON];
	bool found = find_reason((const char *)data, len, reason);

	PROMISE(memchr(reason, 0, sizeof reason) && found == (reason[0] != 0));
	for (const char *p = reason; *p; p++)
		PROMISE(isprint((unsigned char)*p));
	return 0;
}
