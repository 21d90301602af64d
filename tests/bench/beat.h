/* A record of the time in the pipe that bench_init.py reads: 32 bytes, so that each comes in one piece. */
#ifndef KEELSON_BENCH_BEAT_H
#define KEELSON_BENCH_BEAT_H

#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BEATS "/run/beats"

struct beat {
	int64_t ns; /* CLOCK_MONOTONIC */
	int32_t pid;
	char name[20];
};

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void beat(int fd, int64_t ns, const char *name)
{
	struct beat record = {.ns = ns, .pid = getpid()};

	strncpy(record.name, name, sizeof record.name - 1);
	(void)!write(fd, &record, sizeof record);
}

#endif
