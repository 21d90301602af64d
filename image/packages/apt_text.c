/* What apt is told and what it answers, as text. Pure. */
#include "packages/apt.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

/* A version above all others, so that every dependency is met and apt never offers a newer one; allowed for foreign
 * architectures, since some depend on "python3:any". */
#define PROVIDED_VERSION "9999:9999"

int apt_render_status(const struct strings *provided, struct buf *text)
{
	int r = 0;

	for (size_t i = 0; i < provided->count && !r; i++)
		r = buf_addf(text,
			     "Package: %s\nStatus: install ok installed\nVersion: " PROVIDED_VERSION
			     "\nArchitecture: amd64\nMulti-Arch: allowed\nMaintainer: keelson\n"
			     "Description: a node does without it\n\n",
			     provided->items[i]);
	return r;
}

/* "1%3a2.5.1-4" to "1:2.5.1-4", in place. "%00" stays: it would hide what stands behind it. */
static void unescape(char *text)
{
	char *to = text;

	for (char *from = text; *from; from++) {
		if (from[0] == '%' && isxdigit((unsigned char)from[1]) && isxdigit((unsigned char)from[2]) &&
		    strncmp(from, "%00", 3)) {
			const char digits[3] = {from[1], from[2], 0};

			*to++ = (char)strtol(digits, NULL, 16);
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = 0;
}

/* Debian policy 5.6.1 and 5.6.12. Both become words of a lock file, so nothing else may be in them. */
static bool is_name(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && !strchr("+-.", *p))
			return false;
	return *text != 0;
}

static bool is_version(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr(".+-:~", *p))
			return false;
	return *text != 0;
}

/* NAME_VERSION_ARCHITECTURE.deb */
static int take_file_name(const char *file, struct package_set *set, struct package *package, struct err *err)
{
	_cleanup_free_ char *parts = strdup(file);
	char *version, *architecture;
	int r;

	if (!parts)
		return err_set(err, ENOMEM, "no memory");
	version = strchr(parts, '_');
	architecture = version ? strchr(version + 1, '_') : NULL;
	if (!architecture || strchr(file, '/'))
		return err_set(err, EBADMSG, "expected a file NAME_VERSION_ARCHITECTURE.deb, found \"%.200s\"", file);
	*version++ = 0;
	*architecture = 0;
	unescape(version);
	if (!is_name(parts) || !is_version(version))
		return err_set(err, EBADMSG, "expected the name and version of a package, found \"%.200s\"", file);
	package->name = parts;
	package->version = version;
	package->file = (char *)(uintptr_t)file;
	r = package_set_add(set, package);
	return r ? err_set(err, -r, "no memory") : 0;
}

static int parse_line(char *line, struct package_set *set, struct err *err)
{
	struct package package = {0};
	char *save = NULL;
	const char *uri = strtok_r(line, " ", &save), *file = strtok_r(NULL, " ", &save);
	const char *size = strtok_r(NULL, " ", &save), *hash = strtok_r(NULL, " ", &save);
	char *end = NULL;

	if (!uri || *uri != '\'' || !file || !size || !hash)
		return err_set(err, EBADMSG, "apt: expected 'URI' FILE SIZE HASH, found \"%.200s\"", line);
	package.bytes = strtoull(size, &end, 10);
	if (!isdigit((unsigned char)*size) || *end || !package.bytes)
		return err_set(err, EBADMSG, "apt: %.200s: expected a size, found \"%.40s\"", file, size);
	if (strncmp(hash, "SHA256:", 7) || strlen(hash) != 7 + 64 || strspn(hash + 7, "0123456789abcdef") != 64)
		return err_set(err, EBADMSG, "apt: %.200s: expected SHA256 and 64 digits, found \"%.80s\"", file, hash);
	memcpy(package.sha256, hash + 7, DIGEST_TEXT);
	return take_file_name(file, set, &package, err);
}

int apt_parse_uris(const char *text, struct package_set *set, struct err *err)
{
	_cleanup_free_ char *lines = strdup(text);
	char *save = NULL;

	if (!lines)
		return err_set(err, ENOMEM, "no memory");
	for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int r = parse_line(line, set, err);

		if (r < 0)
			return r;
	}
	package_set_sort(set);
	for (size_t i = 1; i < set->count; i++)
		if (!strcmp(set->items[i - 1].name, set->items[i].name))
			return err_set(err, EBADMSG, "apt: %.200s: expected once, found a second time",
				       set->items[i].name);
	return 0;
}
