/* Errors and warnings of a document, in the order of the text. */
#include "config/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/utf8.h"

#define KEPT_MAX ((size_t)1000)

static void add(struct report *report, bool warning, unsigned line, unsigned column, const char *format, va_list args)
{
	struct finding *more;
	char *text = NULL;

	report->errors += !warning;
	report->warnings += warning;
	if (report->count == KEPT_MAX)
		return;
	more = realloc(report->items, (report->count + 1) * sizeof *more);
	if (!more)
		return;
	report->items = more;
	if (vasprintf(&text, format, args) < 0)
		return;
	/* what was found is the document's own text, and may be anything */
	utf8_printable(text);
	report->items[report->count++] = (struct finding){warning, line, column, text};
}

void report_error(struct report *report, unsigned line, unsigned column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(report, false, line, column, format, args);
	va_end(args);
}

void report_warning(struct report *report, unsigned line, unsigned column, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add(report, true, line, column, format, args);
	va_end(args);
}

static int by_place(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	if (a->column != b->column)
		return a->column < b->column ? -1 : 1;
	return strcmp(a->text, b->text);
}

static void print_one(const struct finding *finding, const char *name, struct buf *out)
{
	buf_addf(out, "%s", name);
	if (finding->line)
		buf_addf(out, ":%u:%u", finding->line, finding->column);
	buf_addf(out, ": %s%s\n", finding->warning ? "warning: " : "", finding->text);
}

static void print_rest(size_t all, size_t shown, const char *what, const char *name, struct buf *out)
{
	if (all > shown)
		buf_addf(out, "%s: %zu more %s%s\n", name, all - shown, what, all - shown == 1 ? "" : "s");
}

void report_print(struct report *report, const char *name, struct buf *out)
{
	size_t errors = 0, warnings = 0;

	if (report->count)
		qsort(report->items, report->count, sizeof *report->items, by_place);
	for (size_t i = 0; i < report->count; i++) {
		size_t *shown = report->items[i].warning ? &warnings : &errors;

		if (*shown == REPORT_SHOWN)
			continue;
		++*shown;
		print_one(&report->items[i], name, out);
	}
	print_rest(report->errors, errors, "error", name, out);
	print_rest(report->warnings, warnings, "warning", name, out);
}

void report_free(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		free(report->items[i].text);
	free(report->items);
	*report = (struct report){0};
}
