/* What the builder is doing, a line an act with the seconds since it began, and the table of sizes at the end. */
#include "progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static double seconds(void)
{
	static struct timespec start;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!start.tv_sec)
		start = now;
	return (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9;
}

void progress(const char *act, const char *format, ...)
{
	va_list args;

	printf("[%5.2f] %-11s ", seconds(), act);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

void progress_tick(void *act, int seconds)
{
	progress(act, "at work for %d s", seconds);
}

const char *human_size(uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	static char texts[4][24];
	static unsigned next;
	char *text = texts[next++ % 4];
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1024 && unit + 1 < sizeof units / sizeof *units) {
		value /= 1024;
		unit++;
	}
	snprintf(text, sizeof *texts, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
	return text;
}

int render_sizes(const struct size_row *rows, size_t count, struct buf *text)
{
	int r = 0;

	for (size_t i = 0; i < count && !r; i++) {
		r = buf_addf(text, "  %-28s %11s", rows[i].part, human_size(rows[i].bytes));
		if (!r && rows[i].of)
			r = buf_addf(text, "  of %s", human_size(rows[i].of));
		if (!r)
			r = buf_add_string(text, "\n");
	}
	return r;
}
