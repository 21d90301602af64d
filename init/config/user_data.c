/* What user-data is: gzip and base64 are taken away, #cloud-config is read, everything else is named.
 *
 * Order and prefixes are cloud-init's (its documentation, "User-data formats"); hosting tools wrap what they send
 * without saying so.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "config/document.h"
#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/gunzip.h"

#define WRAPS_MAX 4 /* base64 of gzip is what occurs */
#define MIME_WINDOW ((size_t)4096)

static const struct {
	const char *prefix, *what;
} others[] = {
	{"#cloud-config-archive", "a cloud-config archive"},
	{"#cloud-config-jsonp", "a cloud-config JSON patch"},
	{"#cloud-boothook", "a boot hook (nothing is executed on a node)"},
	{"#include", "an #include list"},
	{"#part-handler", "a part handler (nothing is executed on a node)"},
	{"## template: jinja", "a jinja template"},
	{"##template: jinja", "a jinja template"},
	{"#!", "a script (nothing is executed on a node)"},
	{"#ps1", "a PowerShell script"},
	{"content-type: multipart", "a MIME multipart message"},
	{"mime-version:", "a MIME message"},
	{"{", "JSON (Ignition's?)"},
	{"[", "TOML or JSON"},
	{"<", "XML"},
	{"version: v1alpha1", "a Talos machine configuration"},
	{"# cloud-config", "\"# cloud-config\": there must be no space"},
};

static bool starts(const char *text, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !strncasecmp(text, prefix, n);
}

/* What precedes the header and is skipped: a byte order mark, white space. */
static size_t skip_front(const char *text, size_t len, unsigned *line)
{
	size_t i = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	for (*line = 1; i < len && isspace((unsigned char)text[i]); i++)
		*line += text[i] == '\n';
	return i;
}

static bool is_mime(const char *text, size_t len)
{
	size_t window = len < MIME_WINDOW ? len : MIME_WINDOW;

	for (size_t i = 0; i < window; i++)
		if ((i == 0 || text[i - 1] == '\n') && starts(text + i, window - i, "mime-version:"))
			return true;
	return false;
}

static int refuse(struct report *report, unsigned line, const char *text, size_t len)
{
	char found[61];
	size_t n = 0;

	if (len >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))) {
		report_error(report, line, 1, "expected #cloud-config, found UTF-16: save the file as UTF-8");
		return -EINVAL;
	}
	if (is_mime(text, len)) {
		report_error(report, line, 1, "expected #cloud-config, found a MIME message, which is not supported");
		return -EINVAL;
	}
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		if (!starts(text, len, others[i].prefix))
			continue;
		report_error(report, line, 1, "expected #cloud-config, found %s%s", others[i].what,
			     others[i].prefix[1] == ' ' ? "" : ", which is not supported");
		return -EINVAL;
	}
	while (n < len && n < sizeof found - 1 && text[n] != '\n' && text[n] != '\r') {
		found[n] = isprint((unsigned char)text[n]) ? text[n] : '?';
		n++;
	}
	found[n] = 0;
	report_error(report, line, 1, "expected #cloud-config as the first line, found \"%s\"", found);
	return -EINVAL;
}

static bool is_cloud_config(const char *text, size_t len)
{
	static const char header[] = "#cloud-config";

	return starts(text, len, header) &&
	       (len == sizeof header - 1 || isspace((unsigned char)text[sizeof header - 1]));
}

/* Base64 is taken as such only when what it hides is something a person would send. */
static bool decode_base64(const char *text, size_t len, struct buf *out)
{
	if (base64_decode(text, len, out) < 0 || out->len < 2)
		return false;
	return is_gzip(out->data, out->len) || starts(out->data, out->len, "#cloud-config") ||
	       starts(out->data, out->len, "\xef\xbb\xbf#cloud-config");
}

static int add_text(const char *text, size_t len, struct buf *out, struct report *report)
{
	if (len > USER_DATA_MAX_BYTES) {
		report_error(report, 0, 0, "expected at most %zu bytes, found %zu", USER_DATA_MAX_BYTES, len);
		return -EINVAL;
	}
	return buf_add(out, text, len) < 0 ? -ENOMEM : 0;
}

/* One layer: 1 with what is inside in `inner`, 0 when this is the text, or an error. */
static int unwrap_once(const char *text, size_t len, struct buf *inner, struct report *report)
{
	unsigned line;
	size_t front = skip_front(text, len, &line);
	struct err err;
	int r;

	if (is_gzip(text, len)) {
		r = gunzip(text, len, USER_DATA_MAX_BYTES, inner, &err);
		if (r < 0)
			report_error(report, 0, 0, "%s", err.text);
		return r < 0 ? -EINVAL : 1;
	}
	if (front == len) {
		report_warning(report, 1, 1, "the document is empty: every default holds, the role is single");
		return 0;
	}
	if (is_cloud_config(text + front, len - front))
		return 0;
	if (decode_base64(text + front, len - front, inner))
		return 1;
	return refuse(report, line, text + front, len - front);
}

int user_data_unwrap(const void *bytes, size_t len, struct buf *text, struct report *report)
{
	_cleanup_(buf_free) struct buf layer = {0};
	const char *at = bytes;

	for (int i = 0; i < WRAPS_MAX; i++) {
		_cleanup_(buf_free) struct buf inner = {.max = 2 * USER_DATA_MAX_BYTES};
		int r = unwrap_once(at, len, &inner, report);

		if (r < 0)
			return r;
		if (!r)
			return add_text(at, len, text, report);
		buf_free(&layer);
		layer = inner;
		inner = (struct buf){0};
		at = buf_string(&layer);
		len = layer.len;
	}
	report_error(report, 0, 0, "expected #cloud-config, found gzip and base64 wrapped %d times", WRAPS_MAX);
	return -EINVAL;
}
