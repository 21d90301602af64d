/* Maintenance mode's ear: sleep until a medium or disk may have changed, or the time is up. */
#ifndef KEELSON_WAIT_CHANGE_H
#define KEELSON_WAIT_CHANGE_H

#include <stdbool.h>

#include "lib/err.h"

struct wait_change {
	int events;	  /* uevent socket; -1: none, only time */
	bool polls_media; /* the kernel was told to look at drives without being asked */
};

/* From here on no change is missed. Works without events too: then only time passes. */
void wait_change_open(struct wait_change *wait);
void wait_change_close(struct wait_change *wait);

/* Removable drives say nothing by themselves: have the kernel look at them every two seconds while somebody waits. */
void wait_change_poll_media(struct wait_change *wait);

/* Sleep until a block device appeared or changed, or `ms` are over. Returns whether something changed. */
bool wait_for_change(struct wait_change *wait, int ms);

#endif
