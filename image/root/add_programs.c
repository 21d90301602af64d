/* Our own part of the root: init, keelson, the table of services, BusyBox, and the links that name them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/check_services.h"
#include "lib/cleanup.h"
#include "lib/service_file.h"
#include "lib/service_table.h"
#include "root/programs.h"

#define BUSYBOX "/usr/lib/keelson/busybox"

int add_programs(struct tree *tree, const char *programs, struct err *err)
{
	static const char *const links[][2] = {
		{"/usr/sbin/init", "../lib/keelson/init"},
		/* BusyBox runs its scripts by path: keelson is a subcommand by the name of the link. */
		{"/usr/lib/keelson/dhcp-event", "../../bin/keelson"},
		{"/usr/lib/keelson/time-event", "../../bin/keelson"},
	};
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof path, "%s/init", programs);
	r = tree_add_file(tree, "/usr/lib/keelson/init", 0755, path, err);
	snprintf(path, sizeof path, "%s/keelson", programs);
	if (!r)
		r = tree_add_file(tree, "/usr/bin/keelson", 0755, path, err);
	for (size_t i = 0; i < sizeof links / sizeof *links && !r; i++)
		r = tree_add_link(tree, links[i][0], links[i][1], err);
	return r;
}

int add_busybox(struct tree *tree, const char *busybox, const struct strings *links, struct err *err)
{
	int r = tree_add_file(tree, BUSYBOX, 0755, busybox, err);

	for (size_t i = 0; i < links->count && !r; i++)
		r = tree_add_link(tree, links->items[i], BUSYBOX, err);
	return r;
}

static int load_named(const char *folder, const struct strings *names, struct service_set *set, struct err *err)
{
	_cleanup_free_ struct service *service = malloc(sizeof *service);
	int r = 0;

	if (!service)
		return err_set(err, ENOMEM, "no memory");
	for (size_t i = 0; i < names->count && !r; i++) {
		char path[PATH_MAX];

		snprintf(path, sizeof path, "%s/%s.service", folder, names->items[i]);
		memset(service, 0, sizeof *service);
		r = service_file_load(path, service, err);
		if (!r)
			r = service_set_add(set, service, err);
	}
	return r ? r : check_services(set, err);
}

int add_services(struct tree *tree, const char *folder, const struct strings *names, unsigned *count, struct err *err)
{
	_cleanup_free_ struct service_set *set = calloc(1, sizeof *set);
	_cleanup_(buf_free) struct buf table = {0};
	int r;

	if (!set)
		return err_set(err, ENOMEM, "no memory");
	r = names->count ? load_named(folder, names, set, err) : service_set_load(folder, set, err);
	if (!r)
		r = service_table_encode(set, &table, err);
	if (r < 0)
		return err_wrap(err, r, "services");
	*count = set->count;
	return tree_add_bytes(tree, SERVICE_TABLE_PATH, 0644, table.data, table.len, err);
}
