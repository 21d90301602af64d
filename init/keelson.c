/* The table of subcommands: what `keelson NAME` runs, and what `keelson` alone prints. */
#include "keelson.h"

#include <stdio.h>
#include <string.h>

#include "lib/finish_output.h"

struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help; /* NULL: run by init alone, not listed */
};

static const struct subcommand subcommands[] = {
	{"devices", devices_main, NULL},
	{"storage", storage_main, NULL},
	{"modules", modules_main, NULL},
	{"last-words", last_words_main, NULL},
	{"network", network_main, NULL},
	{"dhcp-event", dhcp_event_main, NULL},
	{"time", time_main, NULL},
	{"time-event", time_event_main, NULL},
	{"cluster", cluster_main, NULL},
	{"images", images_main, NULL},
	{"node", node_main, NULL},
	{"pods", pods_main, NULL},
	{"probe", probe_main, NULL},
	{"runtime-check", runtime_check_main, NULL},
	{"config", config_main, NULL},
	{"validate", validate_main, "check user-data: keelson validate FILE...; its keys: --keys, for editors: --schema"},
	{"status", status_main, "who this node is, and what is wrong"},
	{"services", services_main, "what runs on this node: keelson services [--json]"},
	{"start", service_act_main, "start a service: keelson start SERVICE..."},
	{"stop", service_act_main, "stop a service, and those that require it"},
	{"restart", service_act_main, "stop and start a service"},
	{"logs", logs_main, "what a service said: keelson logs [-f] [-n LINES] [SERVICE | init | kernel]"},
	{"ps", ps_main, "the processes of each service"},
	{"boot", boot_main, "the timeline of this boot: keelson boot [--json | --svg FILE]"},
	{"reboot", end_main, "end pods and services, and restart the machine"},
	{"poweroff", end_main, "end pods and services, and switch the machine off"},
	{"halt", end_main, NULL},
	{NULL, NULL, NULL},
};

static const struct subcommand *find(const char *name)
{
	for (const struct subcommand *s = subcommands; s->name; s++)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

static void usage(FILE *to)
{
	fputs("usage: keelson COMMAND [ARGUMENTS]\n\n", to);
	for (const struct subcommand *s = subcommands; s->name; s++)
		if (s->help)
			fprintf(to, "  %-12s %s\n", s->name, s->help);
}

/* A person's command. Steps say what they have to say in logs, and must not fail for these. */
static int finish(const struct subcommand *s, int status)
{
	char who[64];

	snprintf(who, sizeof who, "keelson %s", s->name);
	return s->help ? finish_output(stdout, who, status) : status;
}

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	/* BusyBox runs its scripts by path: a link named after a subcommand is that subcommand. */
	const struct subcommand *linked = find(slash ? slash + 1 : argv[0]);
	const struct subcommand *named;

	if (linked)
		return linked->run(argc, argv);
	if (argc < 2 || !strcmp(argv[1], "help") || !strcmp(argv[1], "--help")) {
		usage(argc < 2 ? stderr : stdout);
		return argc < 2 ? 2 : 0;
	}
	named = find(argv[1]);
	if (!named) {
		fprintf(stderr, "keelson: expected a command, found \"%s\"\n", argv[1]);
		usage(stderr);
		return 2;
	}
	return finish(named, named->run(argc - 1, argv + 1));
}
