/* The acts about the root: what the builder adds to the packages, and the image of it all. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "build.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "oci/images.h"
#include "progress.h"
#include "root/kubernetes.h"
#include "root/make_root.h"
#include "root/parts.h"
#include "root/programs.h"
#include "root/stage.h"

#define PRELOADS "/usr/lib/keelson/images"

/* The images that the description lists are made; those of the command line are taken as they are. */
static int add_made_image(struct build *b, const struct image_preload *p, struct err *err)
{
	char output[PATH_MAX + 300], pause[PATH_MAX], path[300];
	struct image_wish wish = {
		.kind = p->kind, .program = b->busybox, .tags = &p->tags, .time = b->time, .output = output};
	int r;

	snprintf(pause, sizeof pause, "%s/pause", b->programs);
	if (!strcmp(p->kind, "base"))
		wish.program = pause;
	snprintf(output, sizeof output, "%s/%.100s.tar", b->work, p->name);
	r = write_image(&wish, err);
	snprintf(path, sizeof path, PRELOADS "/%.100s.tar", p->name);
	return r < 0 ? r : tree_add_file(&b->tree, path, 0644, output, err);
}

/* FILE, or NAME=FILE, whose name has no slash. Returns FILE. */
static const char *given_file(const char *given)
{
	size_t name = strcspn(given, "=/");

	return given[name] == '=' ? given + name + 1 : given;
}

int check_given_image(const char *given, struct err *err)
{
	int r = check_image_archive(given_file(given), err);

	if (!r && (*given == '=' || *given == '.') && given_file(given) != given)
		r = err_set(err, EINVAL, "\"%s\": expected NAME=FILE", given);
	return r < 0 ? err_wrap(err, r, "--image") : 0;
}

/* FILE alone is named after itself. A node imports what ends in .tar. */
static int add_given_image(struct build *b, const char *given, struct err *err)
{
	const char *file = given_file(given), *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	size_t len = strlen(base);
	char path[PATH_MAX];
	int r = check_given_image(given, err);

	if (r < 0)
		return r;
	if (file != given)
		snprintf(path, sizeof path, PRELOADS "/%.*s.tar", (int)(file - given - 1), given);
	else
		snprintf(path, sizeof path, PRELOADS "/%s%s", base,
			 len > 4 && !strcmp(base + len - 4, ".tar") ? "" : ".tar");
	return tree_add_file(&b->tree, path, 0644, file, err);
}

static int add_preloads(struct build *b, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < b->description.preload_count && !r; i++)
		r = add_made_image(b, &b->description.preloads[i], err);
	for (size_t i = 0; i < b->images.count && !r; i++)
		r = add_given_image(b, b->images.items[i], err);
	return r;
}

static int add_own(struct build *b, unsigned *services, struct err *err)
{
	int r = add_programs(&b->tree, b->programs, err);

	if (!r)
		r = add_busybox(&b->tree, b->busybox, &b->description.busybox_links, err);
	if (!r)
		r = add_services(&b->tree, b->services, &b->description.services, services, err);
	if (!r)
		r = add_preloads(b, err);
	return r;
}

int build_fill(struct build *b, struct err *err)
{
	struct release release = {.version = b->version, .kubernetes = b->kubernetes_version.text, .time = b->time};
	unsigned services = 0;
	size_t certificates = 0, scripts = 0;
	int r = add_kubernetes(&b->tree, b->kubernetes, b->cache, &b->kubernetes_version, err);

	if (!r)
		r = add_own(b, &services, err);
	if (!r)
		r = add_os_release(&b->tree, &release, err);
	if (!r)
		r = add_users(&b->tree, &b->description, err);
	if (!r)
		r = add_files(&b->tree, &b->description, err);
	if (!r)
		r = drop_scripts(&b->tree, &scripts, err);
	if (!r)
		r = add_ca_certificates(&b->tree, &certificates, err);
	if (!r)
		r = add_ld_cache(&b->tree, err);
	if (!r)
		r = tree_complete(&b->tree, err);
	if (!r)
		r = check_links(&b->tree, err);
	if (!r)
		r = check_libraries(&b->tree, err);
	if (!r)
		progress("root",
			 "Kubernetes %s, %u services, %zu CA certificates; %zu scripts left out; %zu files in all",
			 b->kubernetes_version.text, services, certificates, scripts, b->tree.count);
	return r;
}

static bool same_stamp(const char *path, const char *stamp)
{
	_cleanup_(buf_free) struct buf old = {0};
	struct err ignored;

	return file_read(path, DIGEST_TEXT, &old, &ignored) == 0 && !strcmp(buf_string(&old), stamp);
}

static int make_anew(struct build *b, const char *stamp, struct err *err)
{
	struct root_image image = {&b->description, b->stage, stamp, b->time, b->root};
	int r = stage_tree(&b->tree, b->stage, err);

	if (!r)
		r = index_modules(&b->tree, b->stage, b->kernel_version, err);
	if (!r)
		progress("root", "staged, modules indexed");
	return r < 0 ? r : make_root(&b->tree, &image, err);
}

/* The stamp is written last: without it, whatever lies there is made anew. */
int build_root(struct build *b, struct err *err)
{
	char path[PATH_MAX + 16], stamp[DIGEST_TEXT];
	int r = root_stamp(&b->tree, &b->description, b->time, stamp, err);

	if (r < 0)
		return r;
	snprintf(path, sizeof path, "%s.stamp", b->root);
	if (access(b->root, R_OK) == 0 && same_stamp(path, stamp)) {
		progress("root", "nothing changed, %s stays", b->root);
		return 0;
	}
	unlink(path);
	r = make_anew(b, stamp, err);
	if (!r)
		r = file_write_atomic(path, stamp, strlen(stamp), 0644, err);
	if (!r)
		progress("root", "%s", b->root);
	return r;
}
