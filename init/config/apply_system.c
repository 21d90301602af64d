/* What a document changes outside write_files. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/apply.h"
#include "config/document.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/process.h"

#define PATH_BYTES 600
#define BUNDLE "/etc/ssl/certs/ca-certificates.crt"
#define IMAGE_BUNDLE "/run/keelson/ca-certificates.image"
#define BUNDLE_MAX ((size_t)8 << 20)
#define MODPROBE_TIMEOUT_MS 20000
#define MODULE_WORDS 64

static void write_text(const struct apply *apply, const char *path, const struct buf *text, struct buf *problems)
{
	struct planned_file file = {
		.path = path, .data = (char *)(uintptr_t)buf_string(text), .len = text->len, .mode = 0644};
	struct err err;

	if (write_below(apply->root, &file, &err) < 0)
		buf_addf(problems, "%s\n", err.text);
}

void apply_name(const struct apply *apply, struct buf *problems)
{
	_cleanup_(buf_free) struct buf hostname = {0}, hosts = {0};

	if (!*apply->root && sethostname(apply->name.name, strlen(apply->name.name)) < 0)
		buf_addf(problems, "set hostname %s: %s\n", apply->name.name, strerror(errno));
	buf_addf(&hostname, "%s\n", apply->name.name);
	render_hosts(&apply->name, &hosts);
	write_text(apply, "/etc/hostname", &hostname, problems);
	write_text(apply, "/etc/hosts", &hosts, problems);
}

void apply_time_zone(const struct apply *apply, struct buf *problems)
{
	const char *zone = values_string(apply->seed->values, "timezone");
	_cleanup_(buf_free) struct buf text = {0};
	char link[PATH_BYTES], beside[PATH_BYTES], target[PATH_BYTES];

	if (!zone)
		return;
	snprintf(link, sizeof link, "%s/etc/localtime", apply->root);
	snprintf(beside, sizeof beside, "%s/etc/.localtime.new", apply->root);
	snprintf(target, sizeof target, "/usr/share/zoneinfo/%s", zone);
	unlink(beside);
	if (symlink(target, beside) < 0 || rename(beside, link) < 0)
		buf_addf(problems, "time zone %s: %s\n", zone, strerror(errno));
	buf_addf(&text, "%s\n", zone);
	write_text(apply, "/etc/timezone", &text, problems);
}

/* The image's bundle, kept aside the first time, so that a second run in one boot does not add to its own work. */
static int image_bundle(const struct apply *apply, struct buf *bundle, struct buf *problems)
{
	char path[PATH_BYTES], aside[PATH_BYTES];
	struct err err;
	int r;

	snprintf(path, sizeof path, "%s" BUNDLE, apply->root);
	snprintf(aside, sizeof aside, "%s" IMAGE_BUNDLE, apply->root);
	r = file_read(aside, BUNDLE_MAX, bundle, &err);
	if (r == -ENOENT) {
		r = file_read(path, BUNDLE_MAX, bundle, &err);
		if (r == -ENOENT)
			r = 0;
		if (!r)
			r = file_write_atomic(aside, buf_string(bundle), bundle->len, 0644, &err);
	}
	if (r < 0)
		buf_addf(problems, "certificate authorities: %s\n", err.text);
	return r;
}

void apply_authorities(const struct apply *apply, struct buf *problems)
{
	const json_t *trusted = values_get(apply->seed->values, "ca_certs.trusted");
	bool only_these = json_is_true(values_get(apply->seed->values, "ca_certs.remove_defaults"));
	_cleanup_(buf_free) struct buf image = {0}, bundle = {0};
	struct buf *base = &image;

	if (!json_array_size(trusted) && !only_these)
		return;
	if (image_bundle(apply, &image, problems) < 0)
		return;
	if (!only_these)
		buf_add(&bundle, buf_string(base), base->len);
	for (size_t i = 0; i < json_array_size(trusted); i++) {
		const char *pem = json_string_value(json_array_get(trusted, i));

		if (bundle.len && bundle.data[bundle.len - 1] != '\n')
			buf_add_string(&bundle, "\n");
		buf_add_string(&bundle, pem ? pem : "");
	}
	write_text(apply, BUNDLE, &bundle, problems);
}

static void load(const struct apply *apply, const char *const *argv, struct buf *problems)
{
	struct process modprobe = {.argv = argv, .timeout_ms = MODPROBE_TIMEOUT_MS};
	struct err err;

	if (!*apply->root && process_run_ok(&modprobe, &err) < 0)
		buf_addf(problems, "%s\n", err.text);
}

static void load_module(const struct apply *apply, const char *name, const char *options, struct buf *problems)
{
	const char *argv[MODULE_WORDS + 4] = {"modprobe", "--", name};
	_cleanup_free_ char *words = strdup(options);
	char *rest = words, *word;
	size_t n = 3;

	while (n < MODULE_WORDS && (word = strsep(&rest, " \t")))
		if (*word)
			argv[n++] = word;
	load(apply, argv, problems);
}

/* Those without options in one go: a process is what costs. */
void apply_modules(const struct apply *apply, struct buf *problems)
{
	const json_t *modules = values_get(apply->seed->values, "keelson.modules");
	const char *argv[128 + 4] = {"modprobe", "-a", "--"};
	size_t n = 3;

	for (size_t i = 0; i < json_array_size(modules); i++) {
		const json_t *module = json_array_get(modules, i);
		const char *name = json_string_value(json_object_get(module, "name"));
		const char *options = json_string_value(json_object_get(module, "options"));

		if (name && options && *options)
			load_module(apply, name, options, problems);
		else if (name && n < 128)
			argv[n++] = name;
	}
	if (n > 3)
		load(apply, argv, problems);
}

int sysctl_path(const char *root, const char *name, char *path, size_t room)
{
	size_t first = strcspn(name, "./");
	bool dots = name[first] == '.';
	int used = snprintf(path, room, "%s/proc/sys/%s", root, name);

	if (used < 0 || (size_t)used >= room)
		return -ENAMETOOLONG;
	if (!dots)
		return 0;
	/* dots separate; a dot inside a name is written as a slash */
	for (char *p = path + strlen(root) + strlen("/proc/sys/"); *p; p++)
		*p = *p == '.' ? '/' : *p == '/' ? '.' : *p;
	return 0;
}

/* Settings that are there with a module only, which nothing in the boot has waited for. */
static void load_module_of_sysctl(const struct apply *apply, const char *path, struct buf *problems)
{
	if (strstr(path, "/net/bridge/"))
		load_module(apply, "br_netfilter", "", problems);
	else if (strstr(path, "/nf_conntrack"))
		load_module(apply, "nf_conntrack", "", problems);
}

void apply_sysctls(const struct apply *apply, struct buf *problems)
{
	const json_t *sysctls = values_get(apply->seed->values, "keelson.sysctls");
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)(uintptr_t)sysctls, name, value) {
		char path[PATH_BYTES];
		struct err err;

		if (strstr(name, "..") || !json_is_string(value) ||
		    sysctl_path(apply->root, name, path, sizeof path) < 0) {
			buf_addf(problems, "sysctl %s: not a kernel setting\n", name);
			continue;
		}
		if (access(path, F_OK) < 0)
			load_module_of_sysctl(apply, path, problems);
		if (file_poke(path, json_string_value(value), &err) < 0)
			buf_addf(problems, "sysctl %s: %s\n", name, err.text);
	}
}
