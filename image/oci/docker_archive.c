/* A container image as `docker save` writes it. Source: the Docker image specification v1.2. */
#include "oci/docker_archive.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "digest.h"
#include "lib/cleanup.h"
#include "oci/tree_tar.h"

static void free_json(json_t **json)
{
	json_decref(*json);
}

static json_t *string_array(const struct strings *list)
{
	json_t *array = json_array();

	for (size_t i = 0; array && list && i < list->count; i++)
		json_array_append_new(array, json_string(list->items[i]));
	return array;
}

static int dump(const json_t *json, struct buf *text)
{
	_cleanup_free_ char *string = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS) : NULL;

	return string ? buf_add_string(text, string) : -ENOMEM;
}

int render_image_config(const struct container_image *image, const char *diff_id, struct buf *json)
{
	_cleanup_(free_json) json_t *top = NULL;
	time_t seconds = (time_t)image->time;
	char created[32], layer[80];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &tm);
	snprintf(layer, sizeof layer, "sha256:%s", diff_id);
	top = json_pack("{s:s, s:s, s:s, s:{s:o, s:o, s:o}, s:{s:s, s:[s]}, s:[{s:s, s:s}]}", "architecture", "amd64",
			"os", "linux", "created", created, "config", "Entrypoint", string_array(image->entrypoint),
			"Cmd", string_array(image->command), "Env", string_array(image->environment), "rootfs", "type",
			"layers", "diff_ids", layer, "history", "created", created, "created_by", "keelson mkimage");
	return dump(top, json);
}

int render_image_manifest(const struct container_image *image, const char *config, const char *layer, struct buf *json)
{
	_cleanup_(free_json) json_t *top = json_pack("[{s:s, s:o, s:[s]}]", "Config", config, "RepoTags",
						     string_array(image->tags), "Layers", layer);

	return dump(top, json);
}

/* The archive itself is a tree of three files. */
static int write_outer(const struct container_image *image, const char *layer, const char *output, struct err *err)
{
	_cleanup_(tree_free) struct tree outer = {.verbatim = true};
	_cleanup_(buf_free) struct buf config = {0}, manifest = {0};
	char diff_id[DIGEST_TEXT], config_id[DIGEST_TEXT], layer_name[80], config_name[80], path[88];
	int r = digest_file(layer, diff_id, err);

	if (r < 0)
		return r;
	snprintf(layer_name, sizeof layer_name, "%s.tar", diff_id);
	if (render_image_config(image, diff_id, &config) < 0)
		return err_set(err, ENOMEM, "no memory");
	r = digest_bytes(config.data, config.len, config_id, err);
	snprintf(config_name, sizeof config_name, "%s.json", config_id);
	if (!r && render_image_manifest(image, config_name, layer_name, &manifest) < 0)
		r = err_set(err, ENOMEM, "no memory");
	snprintf(path, sizeof path, "/%s", config_name);
	if (!r)
		r = tree_add_bytes(&outer, path, 0644, config.data, config.len, err);
	snprintf(path, sizeof path, "/%s", layer_name);
	if (!r)
		r = tree_add_file(&outer, path, 0644, layer, err);
	if (!r)
		r = tree_add_bytes(&outer, "/manifest.json", 0644, manifest.data, manifest.len, err);
	return r < 0 ? r : tree_tar(&outer, image->time, output, err);
}

int write_docker_archive(const struct container_image *image, const char *output, struct err *err)
{
	char layer[PATH_MAX];
	int r;

	if (snprintf(layer, sizeof layer, "%s.layer", output) >= PATH_MAX)
		return err_set(err, ENAMETOOLONG, "%s: name too long", output);
	r = tree_tar(image->tree, image->time, layer, err);
	if (!r)
		r = write_outer(image, layer, output, err);
	unlink(layer);
	return r < 0 ? err_wrap(err, r, "container image %s", image->tags->items[0]) : 0;
}
