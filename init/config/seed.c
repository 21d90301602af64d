/* A seed's two files, read and checked in a confined child; its answer is JSON. */
#include "config/seed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config/document.h"
#include "lib/cleanup.h"
#include "lib/confined.h"
#include "lib/file.h"

#define READ_TIMEOUT_MS 60000 /* a slow CD, in an emulated machine */
#define PACKED_MAX (2 * USER_DATA_MAX_BYTES)
#define ANSWER_MAX ((size_t)24 << 20)

/* cloud-init's name for the instance of a seed that names none. */
#define NO_INSTANCE_ID "nocloud"

struct reading {
	int (*open_files)(void *arg, struct seed_files *files, struct err *err);
	void *arg;
	struct seed_files files;
};

void seed_free(struct seed *seed)
{
	free(seed->source);
	free(seed->instance_id);
	free(seed->local_hostname);
	if (seed->text)
		explicit_bzero(seed->text, strlen(seed->text));
	free(seed->text);
	free(seed->problems);
	json_decref(seed->values);
	*seed = (struct seed){0};
}

static int open_file_in(int directory, const char *name, int *fd, struct err *err)
{
	struct stat st;

	*fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*fd < 0 && errno == ENOENT)
		return 0;
	if (*fd < 0)
		return err_errno(err, "open %s", name);
	if (fstat(*fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: expected a file", name);
	return 0;
}

int seed_open_directory(const char *path, struct seed_files *files, struct err *err)
{
	_cleanup_close_ int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r;

	if (directory < 0)
		return err_errno(err, "open %s", path);
	r = open_file_in(directory, "user-data", &files->user_data, err);
	if (!r)
		r = open_file_in(directory, "meta-data", &files->meta_data, err);
	files->network_config = faccessat(directory, "network-config", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	files->vendor_data = faccessat(directory, "vendor-data", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	return r;
}

static int prepare_reading(void *arg, struct err *err)
{
	struct reading *reading = arg;
	/* jansson opens /dev/urandom for this, which the child cannot */
	json_object_seed(0);
	return reading->open_files(reading->arg, &reading->files, err);
}

/* Both files are asked for: with cloud-init a seed that lacks one is passed over without a word. */
static void check_present(const struct seed_files *files, struct report *report)
{
	static const char why[] = "none found, and a seed needs both user-data and meta-data (an empty one will do)";

	if (files->user_data < 0)
		report_error(report, 0, 0, "user-data: %s", why);
	if (files->meta_data < 0)
		report_error(report, 0, 0, "meta-data: %s", why);
	if (files->network_config)
		report_warning(report, 0, 0, "network-config: ignored: the network comes from DHCP");
	if (files->vendor_data)
		report_warning(report, 0, 0, "vendor-data: ignored: what a node is, is said in user-data alone");
}

static int answer_json(json_t *top, struct buf *answer, struct err *err)
{
	char *text = json_dumps(top, JSON_COMPACT);
	int r = text ? buf_add_string(answer, text) : -ENOMEM;

	free(text);
	json_decref(top);
	return r < 0 ? err_set(err, -r, "answer: %s", strerror(-r)) : 0;
}

static int read_meta(int fd, json_t *top, struct buf *problems, struct err *err)
{
	_cleanup_(meta_data_free) struct meta_data meta = {0};
	_cleanup_(report_free) struct report report = {0};
	_cleanup_(buf_free) struct buf text = {0};
	int r = file_read_fd(fd, META_DATA_MAX_BYTES, &text, err);

	if (r < 0)
		return err_wrap(err, r, "meta-data");
	r = meta_data_read(buf_string(&text), text.len, &meta, &report);
	if (r == -ENOMEM)
		return err_set(err, ENOMEM, "meta-data: no memory");
	report_print(&report, "meta-data", problems);
	json_object_set_new(top, "instance_id", json_string(meta.instance_id ? meta.instance_id : NO_INSTANCE_ID));
	if (meta.local_hostname)
		json_object_set_new(top, "local_hostname", json_string(meta.local_hostname));
	return (int)report.errors;
}

static int read_user(int fd, json_t *top, struct buf *problems, struct err *err)
{
	_cleanup_(document_free) struct document document = {0};
	_cleanup_(buf_free) struct buf bytes = {0};
	int r = file_read_fd(fd, PACKED_MAX, &bytes, err);

	if (r < 0)
		return err_wrap(err, r, "user-data");
	r = document_read(buf_string(&bytes), bytes.len, &document);
	if (r == -ENOMEM)
		return err_set(err, ENOMEM, "user-data: no memory");
	report_print(&document.report, "user-data", problems);
	if (!r) {
		json_object_set_new(top, "text", json_stringn(buf_string(&document.text), document.text.len));
		json_object_set(top, "values", document.values);
	}
	return (int)document.report.errors;
}

static int read_both(void *arg, struct buf *answer, struct err *err)
{
	struct reading *reading = arg;
	_cleanup_(report_free) struct report report = {0};
	_cleanup_(buf_free) struct buf problems = {0};
	json_t *top = json_object();
	int meta = 0, user = 0;

	check_present(&reading->files, &report);
	report_print(&report, "seed", &problems);
	if (reading->files.meta_data >= 0)
		meta = read_meta(reading->files.meta_data, top, &problems, err);
	if (meta >= 0 && reading->files.user_data >= 0)
		user = read_user(reading->files.user_data, top, &problems, err);
	if (meta < 0 || user < 0) {
		json_decref(top);
		return meta < 0 ? meta : user;
	}
	json_object_set_new(top, "errors", json_integer((json_int_t)report.errors + meta + user));
	if (problems.len)
		json_object_set_new(top, "problems", json_string(problems.data));
	return answer_json(top, answer, err);
}

static char *take_string(const json_t *top, const char *name)
{
	const char *text = json_string_value(json_object_get(top, name));

	return text ? strdup(text) : NULL;
}

int seed_take_answer(const struct buf *answer, struct seed *seed, struct err *err)
{
	json_error_t where;
	json_t *top = json_loadb(buf_string(answer), answer->len, JSON_REJECT_DUPLICATES, &where);
	json_int_t errors = json_integer_value(json_object_get(top, "errors"));

	if (!json_is_object(top) || errors < 0) {
		json_decref(top);
		return err_set(err, EPROTO, "the reader answered nonsense");
	}
	seed->instance_id = take_string(top, "instance_id");
	seed->local_hostname = take_string(top, "local_hostname");
	seed->text = take_string(top, "text");
	seed->problems = take_string(top, "problems");
	seed->values = json_incref(json_object_get(top, "values"));
	seed->errors = (size_t)errors;
	json_decref(top);
	if (!seed->errors && (!seed->instance_id || !seed->text || !json_is_object(seed->values)))
		return err_set(err, EPROTO, "the reader answered nonsense");
	return 0;
}

int seed_read(int (*open_files)(void *arg, struct seed_files *files, struct err *err), void *arg, struct seed *seed,
	      struct err *err)
{
	_cleanup_(buf_free) struct buf answer = {.max = ANSWER_MAX};
	struct reading reading = {open_files, arg, {.user_data = -1, .meta_data = -1}};
	struct confined confined = {prepare_reading, read_both, &reading, READ_TIMEOUT_MS, ANSWER_MAX};
	int r = confined_run(&confined, &answer, err);

	return r < 0 ? r : seed_take_answer(&answer, seed, err);
}
