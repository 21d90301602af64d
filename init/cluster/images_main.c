/* keelson images: import what the image preloads, before the kubelet needs it; put back what was taken since.
 *
 * After a power cut containerd believes in files that never reached the disk. So an import is synced and only then
 * marked; without the mark an image is removed and made anew. A mark says which content was imported, so a new version
 * of the system imports its own. The kubelet's garbage collector may take an image nobody runs: looked for seldom.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/cri.h"
#include "cluster/images.h"
#include "cluster/runtime_check.h"
#include "keelson.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/process.h"
#include "lib/story.h"

#define IMPORT_TIMEOUT_MS 300000
#define REMOVE_TIMEOUT_MS 600000
#define CRI_TIMEOUT_MS 20000
#define CRI_START_MS 20000
#define CRI_POLL_MS 50
#define LOOK_SECONDS 300
#define BASE_ARCHIVE "base.tar"

static int list_images(struct grpc_call *call, struct err *err)
{
	const struct cri_request request = {"ImageService/ListImages", "", 0};

	return cri_ask_one(CONTAINERD_SOCKET, &request, call, CRI_TIMEOUT_MS, err);
}

/* containerd is ready a moment before its CRI plugin is, which refuses what it is asked until then. */
static int await_list(struct grpc_call *call, struct err *err)
{
	const struct timespec pause = {0, CRI_POLL_MS * 1000000L};
	int r = list_images(call, err);

	for (int waited = 0; r < 0 && waited < CRI_START_MS; waited += CRI_POLL_MS) {
		nanosleep(&pause, NULL);
		buf_free(&call->data);
		*call = (struct grpc_call){0};
		r = list_images(call, err);
	}
	return r;
}

static bool all_listed(const struct grpc_call *list, const struct image_archive *archive)
{
	size_t len;
	const void *data = grpc_message(list, &len);

	for (size_t i = 0; i < archive->names.count; i++)
		if (!image_is_listed(protobuf_of(data, len), archive->names.items[i]))
			return false;
	return true;
}

/* Every record of the image (its name, its digest, its id) and, at once, all content that nothing else refers to. */
static int remove_image(const char *name, struct err *err)
{
	_cleanup_(buf_free) struct buf spec = {0}, message = {0};
	struct cri_request request = {.method = "ImageService/RemoveImage"};
	struct grpc_call call = {0};
	int r = protobuf_add_string(&spec, 1, name);

	if (!r)
		r = protobuf_add_string(&message, 1, buf_string(&spec));
	if (r < 0)
		return err_set(err, -r, "remove %s: %s", name, strerror(-r));
	request.message = message.data;
	request.len = message.len;
	r = cri_ask_one(CONTAINERD_SOCKET, &request, &call, CRI_TIMEOUT_MS, err);
	buf_free(&call.data);
	return r ? err_wrap(err, r, "remove %s", name) : 0;
}

static int import_archive(const char *path, struct err *err)
{
	const char *const argv[] = {"ctr", "-n", "k8s.io", "images", "import", path, NULL};
	struct buf output = {0};
	const struct process process = {.argv = argv, .output = &output, .timeout_ms = IMPORT_TIMEOUT_MS};
	int r = process_run_ok(&process, err);

	buf_free(&output);
	return r;
}

static int sync_containerd(struct err *err)
{
	_cleanup_close_ int fd = open(CONTAINERD_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || syncfs(fd) < 0 ? err_errno(err, "sync %s", CONTAINERD_ROOT) : 0;
}

static void mark_path(const char *file, const char *id, char *path, size_t size)
{
	snprintf(path, size, "%s/%.*s.%s", IMAGE_MARKS, (int)(strlen(file) - 4), file, id);
}

/* Marks of other content of the same archive go: a return to the older version imports again. */
static void remove_marks(const char *file)
{
	size_t len = strlen(file) - 4; /* without .tar */
	DIR *directory = opendir(IMAGE_MARKS);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (!strncmp(entry->d_name, file, len) && entry->d_name[len] == '.' &&
		    strlen(entry->d_name) == len + 65)
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static int make_anew(const char *path, const char *file, const char *mark, const struct image_archive *archive,
		     const struct grpc_call *list, struct err *err)
{
	struct timespec start;
	size_t len;
	const void *data = grpc_message(list, &len);
	int r = 0;

	clock_gettime(CLOCK_MONOTONIC, &start);
	remove_marks(file);
	for (size_t i = 0; !r && i < archive->names.count; i++)
		if (image_is_listed(protobuf_of(data, len), archive->names.items[i]))
			r = remove_image(archive->names.items[i], err);
	if (!r)
		r = import_archive(path, err);
	if (!r)
		r = sync_containerd(err);
	if (!r)
		r = file_write_atomic(mark, "", 0, 0644, err);
	if (!r)
		story("%s imported (%.1f s)", archive->names.items[0], seconds_since(&start));
	return r;
}

static int look_after(const char *file, const struct grpc_call *list, struct err *err)
{
	_cleanup_(image_archive_free) struct image_archive archive = {0};
	char path[PATH_MAX], mark[PATH_MAX];
	int r;

	snprintf(path, sizeof path, "%s/%s", IMAGE_ARCHIVES, file);
	r = image_archive_read(path, &archive, err);
	if (r < 0)
		return r;
	mark_path(file, archive.id, mark, sizeof mark);
	if (access(mark, F_OK) == 0 && all_listed(list, &archive))
		return 0;
	r = make_anew(path, file, mark, &archive, list, err);
	return r ? err_wrap(err, r, "import %s", file) : 1;
}

static int is_archive(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 && !strcmp(entry->d_name + len - 4, ".tar");
}

static int look_after_base(struct err *err)
{
	struct grpc_call list = {0};
	int r = await_list(&list, err);

	if (!r)
		r = look_after(BASE_ARCHIVE, &list, err);
	buf_free(&list.data);
	return r;
}

/* Every other archive. One that fails is told, and does not keep the rest out. Returns whether all were in place. */
static bool look_after_others(void)
{
	struct dirent **entries = NULL;
	struct grpc_call list = {0};
	struct err err = {{0}};
	int count = scandir(IMAGE_ARCHIVES, &entries, is_archive, alphasort);
	int r = count < 0 ? err_errno(&err, "open %s", IMAGE_ARCHIVES) : list_images(&list, &err);
	bool in_place = r >= 0;

	if (r < 0)
		story("%s; tried again in %d min", err.text, LOOK_SECONDS / 60);
	for (int i = 0; i < count; i++) {
		int done = r < 0 || !strcmp(entries[i]->d_name, BASE_ARCHIVE)
				   ? 0
				   : look_after(entries[i]->d_name, &list, &err);

		if (done < 0)
			story("%s; tried again in %d min", err.text, LOOK_SECONDS / 60);
		in_place = in_place && done == 0;
		free(entries[i]);
	}
	free(entries);
	buf_free(&list.data);
	return in_place;
}

/* What runtime-check set aside: nobody waits for its end, so the node is up before it starts. */
static void remove_broken(void)
{
	const char *const argv[] = {"rm", "-rf", "--", BROKEN_CONTAINERD, NULL};
	const struct process process = {.argv = argv, .timeout_ms = REMOVE_TIMEOUT_MS};
	struct err err;

	if (access(BROKEN_CONTAINERD, F_OK) == 0 && process_run_ok(&process, &err) < 0)
		story("remove %s: %s", BROKEN_CONTAINERD, err.text);
}

int images_main(int argc, char **argv)
{
	struct err err = {{0}};
	int r;

	(void)argv;
	if (argc > 1) {
		fputs("usage: keelson images\n", stderr);
		return 2;
	}
	/* The kubelet waits for the base image alone: no pod starts without it. */
	r = look_after_base(&err);
	if (r < 0) {
		story("%s", err.text);
		return 1;
	}
	notify_ready();
	if (look_after_others() && r == 0)
		story("preloaded images are in place");
	for (;;) {
		struct timespec pause = {LOOK_SECONDS, 0};

		nanosleep(&pause, NULL);
		remove_broken();
		if (look_after_base(&err) < 0)
			story("%s", err.text);
		look_after_others();
	}
}
