/* Which configuration is in force.
 *
 * A seed that is there and good wins. A seed that is bad, or none, leaves the last known good document in force; a
 * machine that never had one waits, says every 15 s what is missing, and goes on without a restart once it is there.
 */
#include "config/settle.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config/apply.h"
#include "config/last_good.h"
#include "lib/cleanup.h"
#include "lib/story.h"

#define PATH_BYTES 600
#define AGAIN_MS 15000
/* A disk may show up after its controller. */
#define LATE_FIRST_MS 3000
#define LATE_KNOWN_MS 1000

static int64_t clock_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static const char *kept_path(const struct settle *settle, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s" LAST_GOOD_PATH, settle->root);
	return path;
}

/* Tell lines one by one, each of them a line of the story. */
static void tell(const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		if (len)
			story("%.*s", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
}

enum outcome {
	NOTHING, /* no seed anywhere */
	REFUSED, /* there is one, which cannot be used */
	IN_FORCE,
};

/* The first seed that a datasource has; IN_FORCE means here: it is good. Otherwise lines in `reason` say why not. */
static enum outcome find_seed(const struct settle *settle, struct seed *seed, struct buf *reason)
{
	_cleanup_(buf_free) struct buf looked = {0};

	for (const struct datasource *source = settle->sources; source->name; source++) {
		struct err err = {""};
		int r = source->read(seed, &looked, &err);

		if (r == 0)
			continue;
		if (r > 0 && !seed->errors)
			return IN_FORCE;
		if (r < 0)
			buf_addf(reason, "%s: %s\n", source->name, err.text);
		else
			buf_addf(reason, "%s: %zu error%s in the seed\n%s", seed->source, seed->errors,
				 seed->errors == 1 ? "" : "s", seed->problems ? seed->problems : "");
		return REFUSED;
	}
	buf_addf(reason, "%s\n", buf_string(&looked));
	return NOTHING;
}

static void tell_name(const struct node_name *name)
{
	if (*name->odd)
		story("warning: meta-data: local-hostname: expected a name, found \"%s\"", name->odd);
	if (*name->refused)
		story("the node stays %s: a Node is never renamed, though the configuration now says %s", name->name,
		      name->refused);
}

/* Put a good seed in force; REFUSED with lines in `reason`: it does not fit this system, and nothing changed. */
static enum outcome apply_seed(const struct settle *settle, const struct seed *seed, const char *how,
			       struct buf *reason)
{
	struct apply apply = {.root = settle->root, .seed = seed};
	_cleanup_(buf_free) struct buf problems = {0};
	size_t written = 0;
	struct err err = {""};
	int r = apply_prepare(&apply, &problems, &err);

	if (!r)
		r = apply_document(&apply, &written, &problems, &err);
	if (r < 0) {
		buf_addf(reason, "%s%s: %s\n%s", how, seed->source,
			 r == -EINVAL && problems.len ? "it does not fit this system" : err.text,
			 buf_string(&problems));
		apply_free(&apply);
		return REFUSED;
	}
	if (seed->problems)
		tell(seed->problems);
	tell(buf_string(&problems));
	tell_name(&apply.name);
	story("%s%s, instance %s: %zu file%s written", how, seed->source, seed->instance_id, written,
	      written == 1 ? "" : "s");
	apply_free(&apply);
	return IN_FORCE;
}

static enum outcome use_seed(const struct settle *settle, struct buf *reason)
{
	char kept[PATH_BYTES];
	_cleanup_(seed_free) struct seed seed = {0};
	enum outcome outcome;
	struct err err;

	buf_free(reason);
	outcome = find_seed(settle, &seed, reason);
	if (outcome == IN_FORCE)
		outcome = apply_seed(settle, &seed, "", reason);
	if (outcome == IN_FORCE && last_good_save(kept_path(settle, kept), &seed, &err) < 0)
		story("warning: %s", err.text);
	return outcome;
}

static enum outcome use_last_good(const struct settle *settle, struct buf *reason)
{
	char kept[PATH_BYTES];
	_cleanup_(seed_free) struct seed seed = {0};
	struct err err = {""};
	int r = last_good_read(kept_path(settle, kept), &seed, &err);

	if (r == 0)
		return NOTHING;
	if (r > 0 && !seed.errors) {
		tell(buf_string(reason));
		return apply_seed(settle, &seed, "last known good from ", reason);
	}
	if (r < 0)
		buf_addf(reason, "%s\n", err.text);
	else
		buf_addf(reason, "last known good: it is not valid for this version\n%s",
			 seed.problems ? seed.problems : "");
	return REFUSED;
}

/* Look once more when something changes within a short while: a disk may come after its driver. */
static enum outcome use_late_seed(const struct settle *settle, struct buf *reason)
{
	enum outcome outcome = NOTHING;
	char kept[PATH_BYTES];
	int wait_ms = access(kept_path(settle, kept), F_OK) == 0 ? LATE_KNOWN_MS : LATE_FIRST_MS;
	int64_t deadline = clock_now_ms() + wait_ms;

	while (outcome == NOTHING && wait_ms > 0 && settle->wait(settle->arg, wait_ms)) {
		outcome = use_seed(settle, reason);
		wait_ms = (int)(deadline - clock_now_ms());
	}
	return outcome;
}

/* All of the reason when it is new, its first line when it is still the same. */
static void tell_reason(const struct buf *reason, struct buf *told)
{
	const char *text = buf_string(reason);
	size_t first = strcspn(text, "\n");
	bool same = !strcmp(text, buf_string(told));
	const char *second = text[first] ? text + first + 1 : "";

	if (!same) {
		tell(text);
		buf_free(told);
		buf_add_string(told, text);
	} else if (*second) {
		story("%.*s: %.*s", (int)first, text, (int)strcspn(second, "\n"), second);
	} else {
		story("%.*s", (int)first, text);
	}
	story("maintenance mode: the node waits for a seed labelled cidata with user-data and meta-data; it looks "
	      "again every 15 s");
}

/* The reason is told when it is new, and every 15 s. */
static void maintain(const struct settle *settle, struct buf *reason)
{
	_cleanup_(buf_free) struct buf told = {0};
	int64_t next = clock_now_ms();
	bool changed = false;

	if (settle->maintenance)
		settle->maintenance(settle->arg);
	for (;;) {
		if (!changed || clock_now_ms() >= next || strcmp(buf_string(reason), buf_string(&told))) {
			tell_reason(reason, &told);
			next = clock_now_ms() + AGAIN_MS;
		}
		changed = settle->wait(settle->arg, AGAIN_MS);
		if (use_seed(settle, reason) == IN_FORCE)
			return;
	}
}

void settle_configuration(const struct settle *settle)
{
	_cleanup_(buf_free) struct buf reason = {0};
	enum outcome outcome = use_seed(settle, &reason);

	if (outcome == NOTHING)
		outcome = use_late_seed(settle, &reason);
	if (outcome != IN_FORCE)
		outcome = use_last_good(settle, &reason);
	if (outcome != IN_FORCE)
		maintain(settle, &reason);
}
