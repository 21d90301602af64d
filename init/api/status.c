/* The node's state in a few lines. */
#include "api/status.h"

#include <stdlib.h>
#include <string.h>

char slot_of(const char *boot_env)
{
	static const char key[] = "ROOT_NUMBER=";
	const char *at = strstr(boot_env, key);

	switch (at ? strtol(at + sizeof key - 1, NULL, 10) : 0) {
	case 3:
		return 'A';
	case 5:
		return 'B';
	default:
		return '?';
	}
}

static bool is_state(const struct service_row *row, const char *state)
{
	return !strcmp(row->state, state);
}

static bool in_trouble(const struct service_row *row)
{
	return row->stuck || is_state(row, "failed") || is_state(row, "backoff");
}

static int add_node(const struct node_status *s, struct buf *out)
{
	int r = buf_addf(out, "%s: ", *s->hostname ? s->hostname : "no name");

	if (!r && *s->role)
		r = buf_addf(out, "%s of cluster %s; ", s->role, s->cluster);
	else if (!r)
		r = buf_add_string(out, "not configured; ");
	return r ? r : buf_addf(out, "Keelson %s slot %c, Kubernetes %s\n", s->version, s->slot, s->kubernetes);
}

static int add_trouble(const struct service_row *row, struct buf *out)
{
	int r = buf_addf(out, "%s: %s", row->name, row->stuck ? "cannot be ended" : row->state);

	if (!r && row->failures)
		r = buf_addf(out, ", failed %u time%s, last with %s %d", row->failures, row->failures == 1 ? "" : "s",
			     row->signalled ? "signal" : "status", row->exit_status);
	return r ? r : buf_addf(out, ": keelson logs %s\n", row->name);
}

static int add_services(const struct service_rows *rows, struct buf *out)
{
	unsigned up = 0, trouble = 0, rest = 0;
	int r;

	for (unsigned k = 0; k < rows->count; k++) {
		const struct service_row *row = &rows->rows[k];

		if (in_trouble(row))
			trouble++;
		else if (is_state(row, "up") || is_state(row, "done"))
			up++;
		else if (!is_state(row, "skipped") && !is_state(row, "off"))
			rest++;
	}
	r = buf_addf(out, "services: %u well, %u on their way, %u in trouble\n", up, rest, trouble);
	for (unsigned k = 0; k < rows->count && !r; k++)
		if (in_trouble(&rows->rows[k]))
			r = add_trouble(&rows->rows[k], out);
	return r;
}

int status_text(const struct node_status *status, struct buf *out)
{
	int r = add_node(status, out);

	if (!r)
		r = buf_addf(out, "addresses: %s\n", *status->addresses ? status->addresses : "none");
	if (!r)
		r = add_services(&status->services, out);
	return r ? r : pressure_text(&status->pressure, out);
}
