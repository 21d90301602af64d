/* keelson services | start | stop | restart | boot | reboot | poweroff: what the node runs, asked of PID 1. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "api/ask_services.h"
#include "api/control_client.h"
#include "api/pressure.h"
#include "api/service_rows.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define LIST_TIMEOUT_MS 5000

static int give_up(const char *what, const struct err *err)
{
	fprintf(stderr, "keelson %s: %s\n", what, err->text);
	return 1;
}

static int usage(const char *text)
{
	fprintf(stderr, "usage: keelson %s\n", text);
	return 2;
}

typedef int show_rows(const struct service_rows *rows, struct buf *out);

/* The table, and below it what pods took too much of: services may all be well and the node not. */
static int table_and_pressure(const struct service_rows *rows, struct buf *out)
{
	struct pressure pressure;
	int r = service_rows_table(rows, out);

	pressure_gather(&pressure_paths, &pressure);
	return r ? r : pressure_text(&pressure, out);
}

static int show(const char *what, show_rows *how)
{
	static struct service_rows rows;
	_cleanup_(buf_free) struct buf out = {0};
	struct err err = {""};

	if (ask_services(&rows, &err) < 0)
		return give_up(what, &err);
	if (how(&rows, &out) < 0) {
		err_set(&err, 0, "no memory");
		return give_up(what, &err);
	}
	fputs(buf_string(&out), stdout);
	return 0;
}

int services_main(int argc, char **argv)
{
	bool json = argc == 2 && !strcmp(argv[1], "--json");

	if (argc > 1 && !json)
		return usage("services [--json]");
	return show("services", json ? service_rows_json : table_and_pressure);
}

static int save_svg(const char *path)
{
	static struct service_rows rows;
	_cleanup_(buf_free) struct buf out = {0};
	struct err err = {""};
	int r = ask_services(&rows, &err);

	if (!r && boot_svg(&rows, &out) < 0)
		r = err_set(&err, 12, "no memory");
	if (!r)
		r = file_write_atomic(path, out.data, out.len, 0644, &err);
	return r < 0 ? give_up("boot", &err) : 0;
}

int boot_main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "--svg"))
		return save_svg(argv[2]);
	if (argc > 1 && (argc > 2 || strcmp(argv[1], "--json")))
		return usage("boot [--json | --svg FILE]");
	return show("boot", argc > 1 ? boot_json : boot_table);
}

/* start, stop, restart: argv[0] is which. */
int service_act_main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: keelson %s SERVICE…\n", argv[0]);
		return 2;
	}
	for (int k = 1; k < argc; k++) {
		struct err err = {""};
		char request[128];

		snprintf(request, sizeof request, "%s %.64s", argv[0], argv[k]);
		if (control_request(CONTROL_PATH, request, 0, NULL, &err) < 0) {
			fprintf(stderr, "keelson %s %s: %s\n", argv[0], argv[k], err.text);
			failed = 1;
		}
	}
	return failed;
}

/* reboot, poweroff, halt: answered before it begins. */
int end_main(int argc, char **argv)
{
	struct err err = {""};

	if (argc != 1) {
		fprintf(stderr, "usage: keelson %s\n", argv[0]);
		return 2;
	}
	if (control_request(CONTROL_PATH, argv[0], LIST_TIMEOUT_MS, NULL, &err) < 0)
		return give_up(argv[0], &err);
	return 0;
}
