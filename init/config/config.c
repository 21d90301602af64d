/* keelson config: find the node's configuration, put it in force and end; or wait in maintenance mode for one. */
#include <stdio.h>

#include "config/settle.h"
#include "config/wait_change.h"
#include "keelson.h"
#include "lib/cleanup.h"

static bool wait_for_disk(void *arg, int ms)
{
	return wait_for_change(arg, ms);
}

static void watch_drives(void *arg)
{
	wait_change_poll_media(arg);
}

int config_main(int argc, char **argv)
{
	_cleanup_(wait_change_close) struct wait_change change = {.events = -1};
	struct settle settle = {"", datasources, wait_for_disk, watch_drives, &change};
	(void)argv;

	if (argc > 1) {
		fprintf(stderr, "usage: keelson config (run by init alone)\n");
		return 2;
	}
	/* before the first look, so that no disk comes unseen between the two */
	wait_change_open(&change);
	settle_configuration(&settle);
	return 0;
}
