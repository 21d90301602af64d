/* A service file: sections, keys and values, with the place of every error.
 *
 * Source: systemd.syntax(7), systemd.unit(5), systemd.service(5), systemd.exec(5). What differs is listed in
 * configs/services/README.md: unknown keys and sections are errors here, and so is a second value for a key that is
 * not a list.
 */
#include "lib/service_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/nearest.h"
#include "lib/service_value.h"

#define KEYS_MAX 64

struct reader {
	const char *file;
	const char *p, *end;
	unsigned line; /* of p */
	const char *line_start;
	char section[32];
	bool seen[KEYS_MAX]; /* keys that have a value already */
	struct value value;
};

static unsigned column(const struct reader *r, const char *p)
{
	return (unsigned)(p - r->line_start) + 1;
}

static const char *line_end(const struct reader *r, const char *p)
{
	const char *newline = memchr(p, '\n', (size_t)(r->end - p));

	return newline ? newline : r->end;
}

static void next_line(struct reader *r, const char *newline)
{
	r->p = newline < r->end ? newline + 1 : r->end;
	r->line_start = r->p;
	r->line++;
}

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blank(const char *p, const char *end)
{
	while (p < end && blank(*p))
		p++;
	return p;
}

static const char *next_section(size_t i, const void *data)
{
	static const char *const sections[] = {"Unit", "Service", "Keelson", NULL};
	(void)data;

	return sections[i];
}

static const char *next_key(size_t i, const void *data)
{
	(void)data;
	return service_keys[i].name;
}

static int read_section(struct reader *r, const char *p, const char *newline, struct err *err)
{
	const char *close = memchr(p, ']', (size_t)(newline - p));
	const char *nearest;
	char name[sizeof r->section];
	size_t len;

	if (!close || skip_blank(close + 1, newline) != newline)
		return err_set(err, EINVAL, "%s:%u:%u: expected a section such as [Service]", r->file, r->line,
			       column(r, p));
	len = (size_t)(close - p - 1);
	if (len >= sizeof name)
		len = sizeof name - 1;
	memcpy(name, p + 1, len);
	name[len] = 0;
	for (size_t i = 0; next_section(i, NULL); i++) {
		if (strcmp(next_section(i, NULL), name))
			continue;
		memcpy(r->section, name, sizeof name);
		return 0;
	}
	nearest = nearest_name(name, next_section, NULL);
	return err_set(err, EINVAL, "%s:%u:%u: unknown section [%s]%s%s%s", r->file, r->line, column(r, p), name,
		       nearest ? ", did you mean [" : "", nearest ? nearest : "", nearest ? "]?" : "");
}

/* One physical line of a value. Returns 1 when the next line continues it. */
static int add_piece(struct reader *r, const char *p, const char *newline, struct err *err)
{
	struct value *v = &r->value;
	const char *end = newline;
	bool more = false;
	size_t len;

	while (end > p && blank(end[-1]))
		end--;
	if (end > p && end[-1] == '\\') {
		more = true;
		end--;
	}
	len = (size_t)(end - p);
	if (v->piece_count == SERVICE_VALUE_LINES || v->len + len + 2 > sizeof v->text)
		return err_set(err, EINVAL, "%s:%u:%u: expected a value of at most %d bytes and %d lines", r->file,
			       r->line, column(r, p), SERVICE_VALUE_MAX - 2, SERVICE_VALUE_LINES);
	v->pieces[v->piece_count].offset = v->len;
	v->pieces[v->piece_count].line = r->line;
	v->pieces[v->piece_count++].column = column(r, p);
	memcpy(v->text + v->len, p, len);
	v->len += len;
	if (more)
		v->text[v->len++] = ' ';
	v->text[v->len] = 0;
	return more;
}

static int read_value(struct reader *r, const char *p, struct err *err)
{
	const char *newline = line_end(r, p);
	int more;

	r->value.file = r->file;
	r->value.len = r->value.piece_count = 0;
	p = skip_blank(p, newline);
	more = add_piece(r, p, newline, err);
	next_line(r, newline);
	while (more > 0 && r->p < r->end) {
		newline = line_end(r, r->p);
		p = skip_blank(r->p, newline);
		/* As in systemd, a comment among continuation lines is left out. */
		if (p == newline || (*p != '#' && *p != ';'))
			more = add_piece(r, r->p, newline, err);
		next_line(r, newline);
	}
	while (r->value.len && blank(r->value.text[r->value.len - 1]))
		r->value.text[--r->value.len] = 0;
	return more < 0 ? more : 0;
}

static const struct service_key *find_key(const char *section, const char *name)
{
	for (const struct service_key *k = service_keys; k->name; k++)
		if (!strcmp(k->name, name) && !strcmp(k->section, section))
			return k;
	return NULL;
}

static int unknown_key(const struct reader *r, const char *p, const char *name, struct err *err)
{
	const char *nearest = nearest_name(name, next_key, NULL);

	for (const struct service_key *k = service_keys; k->name; k++)
		if (!strcmp(k->name, name))
			return err_set(err, EINVAL, "%s:%u:%u: key %s belongs into [%s], found in [%s]", r->file,
				       r->line, column(r, p), name, k->section, r->section);
	return err_set(err, EINVAL, "%s:%u:%u: unknown key %s%s%s%s", r->file, r->line, column(r, p), name,
		       nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static bool is_list(const struct service_key *key)
{
	return key->parse == value_names || key->parse == value_words || key->parse == value_paths ||
	       key->parse == value_environment;
}

static int read_assignment(struct reader *r, const char *p, const char *newline, struct service *service,
			   struct err *err)
{
	const char *equals = memchr(p, '=', (size_t)(newline - p));
	const struct service_key *key;
	const char *end = equals;
	char name[64];

	if (!equals || equals == p)
		return err_set(err, EINVAL, "%s:%u:%u: expected KEY=value", r->file, r->line, column(r, p));
	if (!r->section[0])
		return err_set(err, EINVAL, "%s:%u:%u: expected a section such as [Unit] before the first key", r->file,
			       r->line, column(r, p));
	while (blank(end[-1])) /* p itself is none */
		end--;
	snprintf(name, sizeof name, "%.*s", (int)(end - p), p);
	key = find_key(r->section, name);
	if (!key)
		return unknown_key(r, p, name, err);
	if (r->seen[key - service_keys] && !is_list(key))
		return err_set(err, EINVAL, "%s:%u:%u: key %s has a value already", r->file, r->line, column(r, p),
			       name);
	r->seen[key - service_keys] = true;
	if (read_value(r, equals + 1, err) < 0)
		return -EINVAL;
	return key->parse(&r->value, key, service, err);
}

static int read_lines(struct reader *r, struct service *service, struct err *err)
{
	while (r->p < r->end) {
		const char *newline = line_end(r, r->p);
		const char *p = skip_blank(r->p, newline);
		int ret = 0;

		for (const char *c = p; c < newline; c++)
			if ((unsigned char)*c < ' ' && *c != '\t' && *c != '\r')
				return err_set(err, EINVAL, "%s:%u:%u: expected text, found byte %d", r->file, r->line,
					       column(r, c), *c);
		if (p < newline && *p != '#' && *p != ';' && *p != '[') {
			ret = read_assignment(r, p, newline, service, err);
		} else {
			if (p < newline && *p == '[')
				ret = read_section(r, p, newline, err);
			next_line(r, newline);
		}
		if (ret)
			return ret;
	}
	return 0;
}

/* "configs/services/time.service" names the service "time". */
static int take_name(const char *file, struct service *service, struct err *err)
{
	const char *slash = strrchr(file, '/');
	const char *base = slash ? slash + 1 : file;
	const char *dot = strrchr(base, '.');
	size_t len = dot ? (size_t)(dot - base) : strlen(base);

	if (!dot || strcmp(dot, ".service") || !len || len >= sizeof service->name)
		return err_set(err, EINVAL, "%s: expected a name such as time.service, of at most %zu characters", file,
			       sizeof service->name - 1);
	for (size_t i = 0; i < len; i++)
		if (!((base[i] >= 'a' && base[i] <= 'z') || (base[i] >= '0' && base[i] <= '9') || base[i] == '-'))
			return err_set(err, EINVAL, "%s: expected only a-z, 0-9 and - in the name", file);
	memcpy(service->name, base, len);
	return 0;
}

static void set_defaults(struct service *service)
{
	memset(service, 0, sizeof *service);
	service->text_used = 1; /* offset 0 is the empty string */
	service->start_timeout = 90000;
	service->stop_timeout = 10000;
	service->healthy_after = 5000;
	service->liveness_interval = 15000;
	service->liveness_timeout = 10000;
	service->liveness_failures = 3;
	service->before_shutdown_timeout = 30000;
}

/* What no single key can tell. */
static int check_whole(const char *file, const bool *seen, struct service *s, struct err *err)
{
	if (!s->exec_start.count)
		return err_set(err, EINVAL, "%s: expected ExecStart= in [Service], found none", file);
	if (s->type == SERVICE_ONESHOT && s->restart == RESTART_ALWAYS)
		return err_set(err, EINVAL, "%s: Restart=always contradicts Type=oneshot", file);
	if (s->remain_after_exit && s->type != SERVICE_ONESHOT)
		return err_set(err, EINVAL, "%s: RemainAfterExit=yes needs Type=oneshot", file);
	if (s->type == SERVICE_ONESHOT && (s->liveness.count || s->ready.count || s->ready_fd))
		return err_set(err, EINVAL, "%s: Ready= and Liveness= contradict Type=oneshot", file);
	if (s->type == SERVICE_NOTIFY && (s->ready.count || s->ready_fd))
		return err_set(err, EINVAL, "%s: Ready= contradicts Type=notify", file);
	for (const struct service_key *k = service_keys; k->name; k++)
		if (!strcmp(k->name, "TimeoutStartSec") && !seen[k - service_keys] && s->type == SERVICE_ONESHOT)
			s->start_timeout = SERVICE_FOREVER;
	return 0;
}

int service_file_parse(const char *file, const char *text, size_t len, struct service *service, struct err *err)
{
	_cleanup_free_ struct reader *r = calloc(1, sizeof *r);
	int ret;

	if (!r)
		return err_set(err, ENOMEM, "%s: no memory", file);
	if (len > SERVICE_FILE_MAX)
		return err_set(err, EINVAL, "%s: expected at most %d bytes", file, SERVICE_FILE_MAX);
	r->file = file;
	r->p = r->line_start = text;
	r->end = text + len;
	r->line = 1;
	set_defaults(service);
	ret = take_name(file, service, err);
	if (!ret)
		ret = read_lines(r, service, err);
	if (!ret)
		ret = check_whole(file, r->seen, service, err);
	return ret;
}

int service_file_load(const char *path, struct service *service, struct err *err)
{
	_cleanup_(buf_free) struct buf buf = {0};
	int r = file_read(path, SERVICE_FILE_MAX, &buf, err);

	if (r < 0)
		return r;
	return service_file_parse(path, buf_string(&buf), buf.len, service, err);
}
