/* A device event: no name in it leads out of /dev or /sys. */
#include "fuzz.h"

#include "lib/uevent.h"

static void inside(const char *text, const char *message, size_t len)
{
	PROMISE(!text || (text > message && text + strlen(text) <= message + len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *message = fuzz_copy(data, len, 1);
	struct uevent event;

	if (!uevent_parse(message, len, &event)) {
		PROMISE(event.action && event.subsystem && event.devpath[0] == '/');
		PROMISE(!strstr(event.devpath, "..") && !strchr(event.subsystem, '/'));
		PROMISE(!event.devname || (event.devname[0] != '/' && !strstr(event.devname, "..")));
		inside(event.action, message, len);
		inside(event.devtype, message, len);
		inside(event.modalias, message, len);
	}
	free(message);
	return 0;
}
