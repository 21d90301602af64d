/* Many services become one set.
 *
 * The graph is checked when the image is built, so that PID 1 never meets a name that does not exist or a circle that
 * would wait for itself. A cycle is reported as the path that closes it, with the key that makes each step.
 */
#include "lib/check_services.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include "lib/cleanup.h"
#include "lib/nearest.h"
#include "lib/service_file.h"

int service_set_add(struct service_set *set, const struct service *service, struct err *err)
{
	if (set->count == SERVICES_MAX)
		return err_set(err, E2BIG, "%s.service: expected at most %d services", service->name, SERVICES_MAX);
	if (service_find(set, service->name) >= 0)
		return err_set(err, EEXIST, "%s.service: a service of this name is there already", service->name);
	set->services[set->count++] = *service;
	return 0;
}

static const char *next_service(size_t i, const void *data)
{
	const struct service_set *set = data;

	return i < set->count ? set->services[i].name : NULL;
}

static int find_named(const struct service_set *set, const struct service *s, const char *key, const char *name,
		      struct err *err)
{
	int index = service_find(set, name);
	const char *nearest;

	if (index >= 0 && &set->services[index] == s)
		return err_set(err, EINVAL, "%s.service: %s: names itself", s->name, key);
	if (index >= 0)
		return index;
	nearest = nearest_name(name, next_service, set);
	return err_set(err, EINVAL, "%s.service: %s: no service \"%s\"%s%s%s", s->name, key, name,
		       nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static int resolve(const struct service_set *set, const struct service *s, const char *key, struct words names,
		   struct service_mask *mask, struct err *err)
{
	for (unsigned i = 0; i < names.count; i++) {
		int index = find_named(set, s, key, service_word(s, names, i), err);

		if (index < 0)
			return index;
		mask_add(mask, (unsigned)index);
	}
	return 0;
}

static void mask_join(struct service_mask *into, const struct service_mask *more)
{
	for (unsigned i = 0; i < SERVICE_MASK_WORDS; i++)
		into->bits[i] |= more->bits[i];
}

static int resolve_all(struct service_set *set, unsigned self, struct err *err)
{
	struct service *s = &set->services[self];
	struct service_mask before = {0};
	int r;

	r = resolve(set, s, "Requires", s->requires_names, &s->requires, err);
	if (!r)
		r = resolve(set, s, "Wants", s->wants_names, &s->wants, err);
	if (!r)
		r = resolve(set, s, "After", s->after_names, &s->after, err);
	if (!r)
		r = resolve(set, s, "Before", s->before_names, &before, err);
	mask_join(&s->after, &s->requires);
	for (unsigned i = 0; !r && i < set->count; i++)
		if (mask_has(&before, i))
			mask_add(&set->services[i].after, self);
	return r;
}

struct walk {
	const struct service_set *set;
	uint8_t state[SERVICES_MAX]; /* 0: not seen, 1: on the path, 2: clean */
	uint8_t path[SERVICES_MAX];
	unsigned depth;
};

static int tell_cycle(const struct walk *w, unsigned closing, struct err *err)
{
	char text[900];
	size_t used = 0;
	unsigned from = 0;

	while (w->path[from] != closing)
		from++;
	for (unsigned i = from; i < w->depth; i++) {
		const struct service *s = &w->set->services[w->path[i]];
		unsigned next = i + 1 < w->depth ? w->path[i + 1] : closing;
		size_t at = MIN(used, sizeof text);

		used += (size_t)snprintf(text + at, sizeof text - at, "%s %s ", s->name,
					 mask_has(&s->requires, next) ? "requires" : "after");
	}
	return err_set(err, EINVAL, "services wait for each other: %s%s", text, w->set->services[closing].name);
}

/* Depth first along After; the depth is bounded by the number of services. */
static int visit(struct walk *w, unsigned index, struct err *err)
{
	const struct service *s = &w->set->services[index];

	if (w->state[index] == 1)
		return tell_cycle(w, index, err);
	if (w->state[index] == 2)
		return 0;
	w->state[index] = 1;
	w->path[w->depth++] = (uint8_t)index;
	for (unsigned i = 0; i < w->set->count; i++)
		if (mask_has(&s->after, i) && visit(w, i, err))
			return -EINVAL;
	w->depth--;
	w->state[index] = 2;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct service *)a)->name, ((const struct service *)b)->name);
}

int check_services(struct service_set *set, struct err *err)
{
	struct walk walk = {.set = set};

	qsort(set->services, set->count, sizeof set->services[0], by_name);
	for (unsigned i = 0; i < set->count; i++) {
		set->services[i].after = (struct service_mask){0};
		set->services[i].requires = set->services[i].wants = (struct service_mask){0};
	}
	for (unsigned i = 0; i < set->count; i++)
		if (resolve_all(set, i, err))
			return -EINVAL;
	for (unsigned i = 0; i < set->count; i++)
		if (visit(&walk, i, err))
			return -EINVAL;
	return 0;
}

static void closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int service_set_load(const char *folder, struct service_set *set, struct err *err)
{
	_cleanup_(closedirp) DIR *dir = opendir(folder);
	_cleanup_free_ struct service *service = malloc(sizeof *service);
	struct dirent *entry;
	int r = 0;

	set->count = 0;
	if (!dir)
		return err_errno(err, "open %s", folder);
	if (!service)
		return err_set(err, ENOMEM, "%s: no memory", folder);
	while (!r && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');
		char path[4096];

		if (!dot || strcmp(dot, ".service"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		r = service_file_load(path, service, err);
		if (!r)
			r = service_set_add(set, service, err);
	}
	return r ? r : check_services(set, err);
}
