/* When is the network good enough for the boot to go on? */
#ifndef KEELSON_READINESS_H
#define KEELSON_READINESS_H

#include <stdbool.h>
#include <stdint.h>

#define READY_AT_MOST_MS 10000

enum readiness { NETWORK_WAITS, NETWORK_IS_READY, NETWORK_FALLS_BACK };

struct readiness_view {
	int64_t elapsed_ms;
	bool alone;			 /* role single: it can work without any network */
	bool address, route;		 /* some address, some default route */
	int links, carriers, unanswered; /* ours; of them with a carrier; of those without a lease */
	int grace_ms;			 /* the longest that one of them may take to find its carrier */
};

/* Pure. next_ms: for NETWORK_WAITS, the time after which the answer may be another without an event; -1: never. */
enum readiness judge_readiness(const struct readiness_view *view, int64_t *next_ms);

#endif
