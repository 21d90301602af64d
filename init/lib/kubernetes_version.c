/* Which Kubernetes a release is, and whether Keelson can render it. */
#include "lib/kubernetes_version.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define VERSION_FILE_MAX 200

/* One number of at most four digits; NULL when there is none. */
static const char *read_number(const char *p, unsigned *number)
{
	const char *start = p;

	*number = 0;
	while (isdigit((unsigned char)*p) && p - start < 4)
		*number = *number * 10 + (unsigned)(*p++ - '0');
	return p == start || isdigit((unsigned char)*p) ? NULL : p;
}

static bool is_suffix(const char *p)
{
	if (*p == 0)
		return true;
	if (*p != '-' && *p != '+')
		return false;
	for (p++; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(".-+", *p))
			return false;
	return true;
}

int kubernetes_version_parse(const char *text, struct kubernetes_version *version, struct err *err)
{
	const char *p = text[0] == 'v' ? text + 1 : text;
	unsigned major = 0;

	memset(version, 0, sizeof *version);
	p = read_number(p, &major);
	if (p)
		p = *p == '.' ? read_number(p + 1, &version->minor) : NULL;
	if (p)
		p = *p == '.' ? read_number(p + 1, &version->patch) : NULL;
	if (!p || !is_suffix(p) || strlen(text) >= sizeof version->text)
		return err_set(err, EINVAL, "Kubernetes version: expected one such as v1.20.2, found \"%.60s\"", text);
	if (major != 1 || version->minor < KUBERNETES_MINOR_FIRST || version->minor > KUBERNETES_MINOR_LAST)
		return err_set(err, ENOTSUP, "Kubernetes %s: expected a release from 1.%d to 1.%d", text,
			       KUBERNETES_MINOR_FIRST, KUBERNETES_MINOR_LAST);
	strcpy(version->text, text);
	return 0;
}

bool kubernetes_version_supported(const char *text, struct err *err)
{
	struct kubernetes_version version;

	return kubernetes_version_parse(text, &version, err) == 0;
}

int kubernetes_version_read(char *text, size_t size, struct err *err)
{
	_cleanup_(buf_free) struct buf line = {0};
	int r = file_read(KUBERNETES_VERSION_PATH, VERSION_FILE_MAX, &line, err);

	snprintf(text, size, "%.*s", r < 0 ? 0 : (int)strcspn(buf_string(&line), "\n"), buf_string(&line));
	return r;
}
