/* A checked document put in force. */
#include "config/apply.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/document.h"
#include "config/make_node.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#define PATH_BYTES 600
#define MACHINE_ID "/var/lib/keelson/machine-id"
#define KEPT_NAME "/var/lib/keelson/config/hostname"
#define INSTANCE "/var/lib/keelson/config/instance"

static void join(const struct apply *apply, const char *path, char out[PATH_BYTES])
{
	snprintf(out, PATH_BYTES, "%s%s", apply->root, path);
}

/* The first line of a small file; -ENOENT and the like leave it empty. */
static int read_line(const struct apply *apply, const char *path, struct buf *line)
{
	char full[PATH_BYTES];
	int r;

	join(apply, path, full);
	r = file_read(full, 4096, line, NULL);
	if (line->data)
		line->data[strcspn(line->data, "\n")] = 0;
	return r;
}

static int write_line(const struct apply *apply, const char *path, const char *text, struct err *err)
{
	_cleanup_(buf_free) struct buf line = {0};
	char full[PATH_BYTES];

	join(apply, path, full);
	buf_addf(&line, "%s\n", text);
	return file_write_atomic(full, buf_string(&line), line.len, 0600, err);
}

static void check_time_zone(const struct apply *apply, struct buf *problems)
{
	const char *zone = values_string(apply->seed->values, "timezone");
	const json_t *place = values_get(apply->seed->values, "timezone_place");
	char path[PATH_BYTES];
	struct stat st;

	if (!zone)
		return;
	snprintf(path, sizeof path, "%s/usr/share/zoneinfo/%s", apply->root, zone);
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		buf_addf(problems,
			 "user-data:%lld:%lld: timezone: expected a name of /usr/share/zoneinfo, found \"%s\"\n",
			 (long long)json_integer_value(json_array_get(place, 0)),
			 (long long)json_integer_value(json_array_get(place, 1)), zone);
}

int apply_prepare(struct apply *apply, struct buf *problems, struct err *err)
{
	_cleanup_(buf_free) struct buf machine_id = {0}, kept = {0}, instance = {0};
	size_t before = problems->len;
	int r = read_line(apply, MACHINE_ID, &machine_id);

	if (r < 0 || strlen(buf_string(&machine_id)) != 32)
		return err_set(err, r < 0 ? -r : EINVAL, "%s: expected 32 hexadecimal digits, found \"%s\"", MACHINE_ID,
			       buf_string(&machine_id));
	read_line(apply, KEPT_NAME, &kept);
	read_line(apply, INSTANCE, &instance);
	choose_node_name(apply->seed->values, apply->seed->local_hostname, buf_string(&machine_id),
			 *buf_string(&kept) ? kept.data : NULL, &apply->name);
	apply->again = !strcmp(buf_string(&instance), apply->seed->instance_id);
	r = plan_files(apply->root, apply->seed->values, &apply->files, problems);
	if (r == -ENOMEM)
		return err_set(err, ENOMEM, "plan files: no memory");
	check_time_zone(apply, problems);
	return problems->len > before ? -EINVAL : 0;
}

static bool has_instance_files(const struct file_plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->files[i].once)
			return true;
	return false;
}

/* The instance is marked only when all its files are there: after a power cut they are written again. */
static void apply_files(const struct apply *apply, size_t *written, struct buf *problems)
{
	size_t failed = write_planned_files(apply->root, &apply->files, apply->again, written, problems);
	struct err err;

	if (failed || apply->again || !has_instance_files(&apply->files))
		return;
	if (write_line(apply, INSTANCE, apply->seed->instance_id, &err) < 0)
		buf_addf(problems, "%s\n", err.text);
}

static void keep_name(const struct apply *apply, struct buf *problems)
{
	_cleanup_(buf_free) struct buf kept = {0};
	struct err err;

	read_line(apply, KEPT_NAME, &kept);
	if (!*buf_string(&kept) && write_line(apply, KEPT_NAME, apply->name.name, &err) < 0)
		buf_addf(problems, "%s\n", err.text);
}

int apply_document(const struct apply *apply, size_t *written, struct buf *problems, struct err *err)
{
	_cleanup_(node_config_freep) struct node_config *config = NULL;
	char path[PATH_BYTES];
	int r = make_node_config(apply->seed->values, apply->seed->instance_id, apply->name.name, apply->seed->source,
				 &config, err);

	if (r < 0)
		return r;
	keep_name(apply, problems);
	apply_name(apply, problems);
	apply_time_zone(apply, problems);
	apply_authorities(apply, problems);
	/* after ours, so that a document's own /etc/hosts wins */
	apply_files(apply, written, problems);
	apply_modules(apply, problems);
	apply_sysctls(apply, problems);
	join(apply, NODE_CONFIG_PATH, path);
	return node_config_save(path, config, err);
}

void apply_free(struct apply *apply)
{
	file_plan_free(&apply->files);
}
