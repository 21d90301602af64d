/* The time that the disk kept, and the image's os-release: a line, then the file. No clock is set before either. */
#include "fuzz.h"

#include "lib/build_time.h"
#include "storage/clock_floor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = fuzz_string(data, len), *release = strchr(text, '\n');
	static const int64_t clocks[] = {0, 1700000000, INT64_MAX};
	int64_t saved, built, set_to;

	if (release)
		*release++ = 0;
	saved = seconds_of(text);
	built = build_time(release ? release : "");
	PROMISE(saved >= 0 && built >= 0);
	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		judge_clock(clocks[i], built, saved, &set_to);
		PROMISE(set_to >= saved && set_to >= built);
	}
	free(text);
	return 0;
}
