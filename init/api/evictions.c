/* Lines of the kubelet's eviction manager.
 *
 * Source: kubernetes, pkg/kubelet/eviction/eviction_manager.go. Up to 1.20 a line is a sentence ("eviction manager: pod
 * NAME_NAMESPACE(UID) is evicted successfully"), from 1.21 on a message and its values ("Eviction manager: pod is
 * evicted successfully" pod="NAMESPACE/NAME"). A pod whose end takes longer than the kubelet waits "failed to evict":
 * its phase is Failed all the same, and it is ended.
 */
#include "api/evictions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define HEADER_END "] "
#define SPEAKER "eviction manager: "
#define RECLAIM "must evict pod(s) to reclaim"
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-."
#define FILE_MAX 512

/* Where the message begins, behind "eviction_manager.go:616] ": further on in a line stands what others chose, such as
 * the name of a pod's image. */
static const char *after_speaker(const char *line)
{
	const char *message = strstr(line, HEADER_END);

	if (!message)
		return NULL;
	message += sizeof HEADER_END - 1;
	message += *message == '"';
	return strncasecmp(message, SPEAKER, sizeof SPEAKER - 1) ? NULL : message + sizeof SPEAKER - 1;
}

/* A name of Kubernetes, cut to the room there is. Returns what stands after it, or NULL where there is none. */
static const char *take_name(const char *text, char *name, size_t size)
{
	size_t len = strspn(text, NAME_CHARACTERS);

	snprintf(name, size, "%.*s", (int)len, text);
	return len ? text + len : NULL;
}

static bool ended(const char *text)
{
	return strstr(text, "is evicted successfully") || strstr(text, "failed to evict");
}

static bool take_pod(struct evictions *evictions, const char *text)
{
	static const char key[] = " pod=\"";
	const char *value = strstr(text, key);
	char first[254], second[64];

	if (!ended(text))
		return false;
	text = take_name(value ? value + sizeof key - 1 : text, first, sizeof first);
	if (!text || *text != (value ? '/' : '_') || !take_name(text + 1, second, sizeof second))
		return false;
	snprintf(evictions->pod, sizeof evictions->pod, "%s/%s", value ? first : second, value ? second : first);
	evictions->count++;
	return true;
}

static void take_resource(struct evictions *evictions, const char *text)
{
	static const char key[] = "resourceName=\"";
	const char *value = strstr(text, key);

	if (value)
		value += sizeof key - 1;
	else
		value = *text == ' ' ? text + 1 : text;
	take_name(value, evictions->resource, sizeof evictions->resource);
}

bool evictions_take(struct evictions *evictions, const char *line)
{
	const char *text = after_speaker(line);

	if (!text)
		return false;
	if (!strncmp(text, RECLAIM, sizeof RECLAIM - 1))
		take_resource(evictions, text + sizeof RECLAIM - 1);
	return !strncmp(text, "pod ", 4) && take_pod(evictions, text + 4);
}

static const char *resource_in_words(const char *resource)
{
	static const struct {
		const char *resource, *words;
	} known[] = {
		{"memory", "memory"},
		{"ephemeral-storage", "room on /var"},
		{"inodes", "inodes on /var"},
		{"pids", "process numbers"},
	};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(resource, known[i].resource))
			return known[i].words;
	return "what it took";
}

int evictions_text(const struct evictions *evictions, struct buf *out)
{
	struct tm parts;
	char when[32];

	if (!evictions->count)
		return 0;
	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&evictions->last, &parts));
	return buf_addf(out, "pods: %u evicted by the kubelet, the last %s at %s for lack of %s\n", evictions->count,
			evictions->pod, when, resource_in_words(evictions->resource));
}

void evictions_save(const char *path, const struct evictions *evictions)
{
	char text[FILE_MAX];
	int n = snprintf(text, sizeof text, "%u %lld %s %s\n", evictions->count, (long long)evictions->last,
			 evictions->pod, evictions->resource);

	(void)file_write_atomic(path, text, (size_t)n, 0644, NULL);
}

void evictions_load(const char *path, struct evictions *evictions)
{
	_cleanup_(buf_free) struct buf text = {0};
	long long last = 0;

	*evictions = (struct evictions){0};
	if (file_read(path, FILE_MAX, &text, NULL) < 0 ||
	    sscanf(buf_string(&text), "%u %lld %319s %31s", &evictions->count, &last, evictions->pod,
		   evictions->resource) < 3)
		*evictions = (struct evictions){0};
	evictions->last = (time_t)last;
}
