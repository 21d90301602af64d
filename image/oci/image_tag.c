/* Is a text the name of a container image? Source: github.com/distribution/reference, regexp.go. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "oci/images.h"

#define TAG_MAX 128
#define REFERENCE_MAX 255

static bool all(const char *text, size_t len, const char *also, bool upper)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!islower(c) && !isdigit(c) && !(upper && isupper(c)) && !strchr(also, c))
			return false;
	}
	return len > 0;
}

/* A host is told from a folder by its dot or port, and may have upper case. */
static bool is_component(const char *text, size_t len, bool first)
{
	bool host = first && (memchr(text, '.', len) || memchr(text, ':', len));

	return all(text, len, host ? ".-:" : "._-", host) && isalnum((unsigned char)text[0]) &&
	       isalnum((unsigned char)text[len - 1]);
}

static bool is_tag(const char *text)
{
	return strlen(text) <= TAG_MAX && all(text, strlen(text), "._-", true) && *text != '.' && *text != '-';
}

int check_image_tag(const char *reference, struct err *err)
{
	const char *slash = strrchr(reference, '/'), *colon = slash ? strchr(slash, ':') : NULL;
	bool good = colon && colon > slash + 1 && strlen(reference) <= REFERENCE_MAX && is_tag(colon + 1);

	for (const char *p = reference, *end; good && p < colon; p = end + 1) {
		end = memchr(p, '/', (size_t)(colon - p));
		if (!end)
			end = colon;
		good = is_component(p, (size_t)(end - p), p == reference);
	}
	return good ? 0
		    : err_set(err, EINVAL, "expected a tag such as docker.io/library/busybox:latest, found \"%.200s\"",
			      reference);
}
