/* PID 1's answer about its services, read and shown. */
#include "api/service_rows.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/order.h"

enum kind { KIND_TEXT, KIND_LONG, KIND_UNSIGNED, KIND_TIME, KIND_INT, KIND_BOOL };

/* clang-format off */ /* a table is read by its rows */
#define ROW(name, kind, field) {name, kind, offsetof(struct service_row, field), sizeof ((struct service_row *)0)->field}

static const struct {
	const char *name;
	enum kind kind;
	size_t offset, size;
} keys[] = {
	ROW("name", KIND_TEXT, name), ROW("state", KIND_TEXT, state), ROW("blocker", KIND_TEXT, blocker),
	ROW("slice", KIND_TEXT, slice), ROW("description", KIND_TEXT, description), ROW("pid", KIND_LONG, pid),
	ROW("starts", KIND_UNSIGNED, starts), ROW("failures", KIND_UNSIGNED, failures), ROW("since", KIND_TIME, since),
	ROW("asked", KIND_TIME, asked), ROW("run", KIND_TIME, run), ROW("ready", KIND_TIME, ready),
	ROW("first_ready", KIND_TIME, first_ready), ROW("exit", KIND_INT, exit_status),
	ROW("signalled", KIND_BOOL, signalled), ROW("stuck", KIND_BOOL, stuck),
};
/* clang-format on */

static void set_key(struct service_row *row, const char *name, const char *value)
{
	for (unsigned k = 0; k < sizeof keys / sizeof keys[0]; k++) {
		void *field = (char *)row + keys[k].offset;

		if (strcmp(keys[k].name, name))
			continue;
		switch (keys[k].kind) {
		case KIND_TEXT:
			snprintf(field, keys[k].size, "%s", value);
			break;
		case KIND_LONG:
			*(long *)field = strtol(value, NULL, 10);
			break;
		case KIND_UNSIGNED:
			*(unsigned *)field = (unsigned)strtoul(value, NULL, 10);
			break;
		case KIND_TIME:
			*(int64_t *)field = strtoll(value, NULL, 10);
			break;
		case KIND_INT:
			*(int *)field = (int)strtol(value, NULL, 10);
			break;
		case KIND_BOOL:
			*(bool *)field = *value == '1';
		}
	}
}

/* "service key=value key=value … description=the rest". */
static void parse_row(char *line, struct service_row *row)
{
	char *rest = line, *pair;

	memset(row, 0, sizeof *row);
	while (rest && *rest) {
		char *equals;

		pair = strncmp(rest, "description=", 12) ? strsep(&rest, " ") : rest;
		equals = strchr(pair, '=');
		if (equals) {
			*equals = 0;
			set_key(row, pair, equals + 1);
		}
		if (pair == rest)
			return;
	}
}

void service_rows_parse(const char *text, struct service_rows *rows)
{
	char line[2048];

	rows->count = 0;
	rows->now = 0;
	rows->dropped = 0;
	while (*text) {
		size_t len = strcspn(text, "\n");

		snprintf(line, sizeof line, "%.*s", (int)(len < sizeof line ? len : sizeof line - 1), text);
		sscanf(line, "now=%" SCNd64 " dropped=%llu", &rows->now, &rows->dropped);
		if (!strncmp(line, "service ", 8) && rows->count < SERVICE_ROWS_MAX)
			parse_row(line + 8, &rows->rows[rows->count++]);
		text += len + (text[len] == '\n');
	}
}

static void format_span(int64_t ms, char *text, size_t size)
{
	if (ms < 60000)
		snprintf(text, size, "%lld.%lld s", (long long)ms / 1000, (long long)ms % 1000 / 100);
	else if (ms < 3600000)
		snprintf(text, size, "%lld min", (long long)ms / 60000);
	else if (ms < 172800000)
		snprintf(text, size, "%lld h", (long long)ms / 3600000);
	else
		snprintf(text, size, "%lld d", (long long)ms / 86400000);
}

/* What a person wants to know beside the state. */
static void format_note(const struct service_row *r, char *text, size_t size)
{
	text[0] = 0;
	if (r->stuck)
		snprintf(text, size, "does not die of KILL");
	else if (!strcmp(r->state, "waiting") && r->blocker[0])
		snprintf(text, size, "for %s", r->blocker);
	else if ((!strcmp(r->state, "failed") || !strcmp(r->state, "backoff")) && r->signalled)
		snprintf(text, size, "signal %d, failed %u times in a row", r->exit_status, r->failures);
	else if (!strcmp(r->state, "failed") || !strcmp(r->state, "backoff"))
		snprintf(text, size, "exit status %d, failed %u times in a row", r->exit_status, r->failures);
	else if (!strcmp(r->state, "up") && r->starts > 1)
		snprintf(text, size, "started %u times", r->starts);
}

int service_rows_table(const struct service_rows *rows, struct buf *out)
{
	int r = buf_addf(out, "%-13s %-9s %8s %7s  %-40s %s\n", "SERVICE", "STATE", "FOR", "PID", "WHAT", "NOTE");

	for (unsigned i = 0; !r && i < rows->count; i++) {
		const struct service_row *row = &rows->rows[i];
		char span[32], pid[16] = "-", note[96];

		format_span(rows->now - row->since, span, sizeof span);
		format_note(row, note, sizeof note);
		if (row->pid)
			snprintf(pid, sizeof pid, "%ld", row->pid);
		r = buf_addf(out, "%-13s %-9s %8s %7s  %-40.40s %s", row->name, row->state, span, pid, row->description,
			     note);
		while (!r && out->len && out->data[out->len - 1] == ' ')
			out->data[--out->len] = 0;
		if (!r)
			r = buf_add_string(out, "\n");
	}
	if (!r && rows->dropped)
		r = buf_addf(out, "%llu log lines were dropped: the log's disk did not take them in time\n",
			     rows->dropped);
	return r;
}

static int dump(json_t *json, struct buf *out)
{
	char *text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
	int r = text ? buf_addf(out, "%s\n", text) : -ENOMEM;

	free(text);
	json_decref(json);
	return r;
}

int service_rows_json(const struct service_rows *rows, struct buf *out)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < rows->count; i++) {
		const struct service_row *r = &rows->rows[i];

		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:I, s:I, s:i, s:i, s:i, s:b, s:b, s:s, s:s}", "name",
						r->name, "state", r->state, "description", r->description, "for_ms",
						(json_int_t)(rows->now - r->since), "pid", (json_int_t)r->pid, "starts",
						(int)r->starts, "failures", (int)r->failures, "exit", r->exit_status,
						"signalled", r->signalled, "stuck", r->stuck, "slice", r->slice,
						"waits_for", r->blocker));
	}
	return dump(list, out);
}

static int by_run(const void *a, const void *b)
{
	const struct service_row *const *x = a, *const *y = b;
	int order = order_of((uint64_t)(*x)->run, (uint64_t)(*y)->run);

	return order ? order : strcmp((*x)->name, (*y)->name);
}

/* Those that were started, in that order. */
static unsigned in_order(const struct service_rows *rows, const struct service_row **order)
{
	unsigned count = 0;

	for (unsigned i = 0; i < rows->count; i++)
		if (rows->rows[i].run)
			order[count++] = &rows->rows[i];
	qsort(order, count, sizeof order[0], by_run);
	return count;
}

/* A service that was restarted shows its latest start; its first readiness would lie before that. */
static int64_t ready_of(const struct service_row *r)
{
	return r->ready ? r->ready : 0;
}

/* One that waits to be started again was asked for after its latest start, which had not waited for that. */
static bool waited_for_run(const struct service_row *r)
{
	return r->asked <= r->run;
}

int boot_table(const struct service_rows *rows, struct buf *out)
{
	const struct service_row *order[SERVICE_ROWS_MAX] = {0};
	unsigned count = in_order(rows, order);
	int r = buf_addf(out, "%8s %8s %8s  %s\n", "WAITED", "STARTED", "READY", "SERVICE");

	for (unsigned i = 0; !r && i < count; i++) {
		const struct service_row *s = order[i];
		char waited[32] = "-", ready[32] = "-";

		if (waited_for_run(s))
			format_span(s->run - s->asked, waited, sizeof waited);
		if (ready_of(s))
			snprintf(ready, sizeof ready, "+%lld.%02lld", (long long)(ready_of(s) - s->run) / 1000,
				 (long long)(ready_of(s) - s->run) % 1000 / 10);
		r = buf_addf(out, "%8s %5lld.%02lld %8s  %s%s\n", waited, (long long)s->run / 1000,
			     (long long)s->run % 1000 / 10, ready, s->name, s->starts > 1 ? " (restarted)" : "");
	}
	return r;
}

int boot_json(const struct service_rows *rows, struct buf *out)
{
	const struct service_row *order[SERVICE_ROWS_MAX] = {0};
	unsigned count = in_order(rows, order);
	json_t *list = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s, s:I, s:I, s:I, s:i}", "name", order[i]->name, "asked_ms",
						      (json_int_t)order[i]->asked, "run_ms", (json_int_t)order[i]->run,
						      "ready_ms", (json_int_t)ready_of(order[i]), "starts",
						      (int)order[i]->starts));
	return dump(list, out);
}

#define SVG_WIDTH 800
#define SVG_LEFT 120
#define SVG_ROW 22

int boot_svg(const struct service_rows *rows, struct buf *out)
{
	const struct service_row *order[SERVICE_ROWS_MAX] = {0};
	unsigned count = in_order(rows, order);
	int64_t end = 1;
	int r;

	for (unsigned i = 0; i < count; i++)
		if ((ready_of(order[i]) ? ready_of(order[i]) : order[i]->run) > end)
			end = ready_of(order[i]) ? ready_of(order[i]) : order[i]->run;
	r = buf_addf(out,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" font-family=\"monospace\" "
		     "font-size=\"12\">\n",
		     SVG_WIDTH, (count + 1) * SVG_ROW);
	for (unsigned i = 0; !r && i < count; i++) {
		const struct service_row *s = order[i];
		int64_t ready = ready_of(s) ? ready_of(s) : end;
		int64_t scale = SVG_WIDTH - SVG_LEFT - 80;
		int64_t waits = SVG_LEFT + (waited_for_run(s) ? s->asked : s->run) * scale / end;
		int64_t runs = SVG_LEFT + s->run * scale / end;
		int64_t done = SVG_LEFT + ready * scale / end;
		unsigned y = i * SVG_ROW + 4;

		r = buf_addf(out,
			     "<text x=\"4\" y=\"%u\">%s</text>"
			     "<rect x=\"%lld\" y=\"%u\" width=\"%lld\" height=\"14\" fill=\"#ddd\"/>"
			     "<rect x=\"%lld\" y=\"%u\" width=\"%lld\" height=\"14\" fill=\"%s\"/>"
			     "<text x=\"%lld\" y=\"%u\">%lld.%02lld s</text>\n",
			     y + 12, s->name, (long long)waits, y, (long long)(runs - waits), (long long)runs, y,
			     (long long)(done - runs > 1 ? done - runs : 1), ready_of(s) ? "#4a90d9" : "#d94a4a",
			     (long long)done + 4, y + 12, (long long)(ready - s->run) / 1000,
			     (long long)(ready - s->run) % 1000 / 10);
	}
	return r ? r : buf_add_string(out, "</svg>\n");
}
