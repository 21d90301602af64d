/* keelson status [--follow]: who this node is and what is wrong. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "api/follow_status.h"
#include "api/status.h"
#include "keelson.h"
#include "lib/cleanup.h"

int status_main(int argc, char **argv)
{
	static struct node_status status;
	_cleanup_(buf_free) struct buf text = {0};
	struct err err = {""};
	int r;

	if (argc == 2 && !strcmp(argv[1], "--follow"))
		follow_status();
	if (argc > 1) {
		fputs("usage: keelson status\n", stderr);
		return 2;
	}
	r = status_gather(&status, &err);
	if (!r && status_text(&status, &text) < 0)
		r = err_set(&err, ENOMEM, "no memory");
	if (r < 0) {
		fprintf(stderr, "keelson status: %s\n", err.text);
		return 1;
	}
	fputs(buf_string(&text), stdout);
	return 0;
}
