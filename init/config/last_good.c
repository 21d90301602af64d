/* The last document that was applied: {"source", "instance_id", "local_hostname", "user_data"}. */
#include "config/last_good.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/document.h"
#include "lib/cleanup.h"
#include "lib/file.h"

#include <sys/mman.h>

#define KEPT_MAX ((size_t)8 << 20) /* JSON may need six bytes for one */

int last_good_save(const char *path, const struct seed *seed, struct err *err)
{
	_cleanup_(buf_free) struct buf there = {0};
	_cleanup_free_ char *text = NULL;
	json_t *top = json_pack("{s:s, s:s, s:s*, s:s}", "source", seed->source, "instance_id", seed->instance_id,
				"local_hostname", seed->local_hostname, "user_data", seed->text);
	int r;

	if (top)
		text = json_dumps(top, JSON_INDENT(2));
	json_decref(top);
	if (!text)
		return err_set(err, ENOMEM, "keep %s: no memory", path);
	if (file_read(path, KEPT_MAX, &there, NULL) == 0 && !strcmp(buf_string(&there), text))
		return 0;
	r = file_write_atomic(path, text, strlen(text), 0600, err);
	explicit_bzero(text, strlen(text));
	return r;
}

/* The text as a file without a name, so that it is read as a seed's files are. */
static int memory_file(const char *text, int *fd, struct err *err)
{
	*fd = memfd_create("last-good", MFD_CLOEXEC);
	if (*fd < 0 || write_all(*fd, text, strlen(text)) < 0 || lseek(*fd, 0, SEEK_SET) < 0)
		return err_errno(err, "memory for the last known good document");
	return 0;
}

static int open_kept(void *arg, struct seed_files *files, struct err *err)
{
	const json_t *top = arg;
	int r = memory_file(json_string_value(json_object_get(top, "user_data")), &files->user_data, err);

	return r < 0 ? r : memory_file("", &files->meta_data, err);
}

static int replace(char **place, const json_t *value)
{
	free(*place);
	*place = json_is_string(value) ? strdup(json_string_value(value)) : NULL;
	return !*place && json_is_string(value) ? -ENOMEM : 0;
}

int last_good_read(const char *path, struct seed *seed, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	json_error_t where;
	json_t *top;
	int r = file_read(path, KEPT_MAX, &text, err);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	top = json_loadb(text.data, text.len, 0, &where);
	if (!json_is_string(json_object_get(top, "user_data")) ||
	    !json_is_string(json_object_get(top, "instance_id"))) {
		json_decref(top);
		return err_set(err, EINVAL, "%s: expected a kept document, found something else", path);
	}
	r = seed_read(open_kept, top, seed, err);
	if (!r)
		r = replace(&seed->source, json_object_get(top, "source"));
	if (!r)
		r = replace(&seed->instance_id, json_object_get(top, "instance_id"));
	if (!r)
		r = replace(&seed->local_hostname, json_object_get(top, "local_hostname"));
	json_decref(top);
	return r < 0 ? err_wrap(err, r, "last known good") : 1;
}
