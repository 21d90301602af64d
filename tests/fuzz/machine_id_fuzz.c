/* The machine id that the disk kept, and the UUID that the firmware says. Two lines. */
#include "fuzz.h"

#include "storage/machine_id.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const unsigned char random[16] = {0xff, 0xee, 0xdd, 0xcc};
	char *text = fuzz_string(data, len), *uuid = strchr(text, '\n');
	char id[MACHINE_ID_TEXT];

	if (uuid)
		*uuid++ = 0;
	choose_machine_id(*text ? text : NULL, uuid, random, id);
	PROMISE(strlen(id) == 32 && strspn(id, "0123456789abcdef") == 32 && strspn(id, "0") != 32);
	free(text);
	return 0;
}
