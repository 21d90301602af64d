/* The Kubernetes release of an image: five programs, taken as they are from the archive. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/output_file.h"
#include "lib/process.h"
#include "packages/check_gzip.h"
#include "root/kubernetes.h"

#define BLOCK ((size_t)1 << 20)
#define VERSION_TIMEOUT_MS 60000

static const char *const node_programs[] = {"kubelet", "kube-apiserver", "kube-controller-manager", "kube-scheduler",
					    "kube-proxy"};
#define NODE_PROGRAMS (sizeof node_programs / sizeof *node_programs)

static void free_archive(struct archive **archive)
{
	archive_read_free(*archive);
}

static const char *said_by(struct archive *archive)
{
	const char *text = archive_error_string(archive);

	return text ? text : "damaged";
}

static int copy_out(struct archive *archive, const char *path, struct err *err)
{
	_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
	int r = output_open(&output, path, err);

	if (r < 0)
		return r;
	if (archive_read_data_into_fd(archive, output.fd) != ARCHIVE_OK)
		return err_set(err, EBADMSG, "unpack %s: %s", path, said_by(archive));
	if (fchmod(output.fd, 0755) < 0)
		return err_errno(err, "mode of %s", path);
	return output_commit(&output, err);
}

static const char *wanted(const char *path, const char *folder, const char *const *names, size_t count)
{
	size_t len = strlen(folder);

	if (!strncmp(path, "./", 2))
		path += 2;
	if (strncmp(path, folder, len) || path[len] != '/')
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!strcmp(path + len + 1, names[i]))
			return names[i];
	return NULL;
}

static int read_archive(const char *path, const char *folder, const char *const *names, size_t count,
			const char *directory, struct err *err)
{
	_cleanup_(free_archive) struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	size_t found = 0;

	if (!archive)
		return err_set(err, ENOMEM, "no memory");
	archive_read_support_format_tar(archive);
	archive_read_support_filter_gzip(archive);
	if (archive_read_open_filename(archive, path, BLOCK) != ARCHIVE_OK)
		return err_set(err, EBADMSG, "%s: %s", path, said_by(archive));
	while (found < count) {
		int r = archive_read_next_header(archive, &entry);
		char to[PATH_MAX];
		const char *name;

		if (r == ARCHIVE_EOF)
			return err_set(err, ENOENT, "%s: expected %zu programs in %s/, found %zu", path, count, folder,
				       found);
		if (r != ARCHIVE_OK)
			return err_set(err, EBADMSG, "%s: %s", path, said_by(archive));
		name = wanted(archive_entry_pathname(entry), folder, names, count);
		if (!name || archive_entry_filetype(entry) != AE_IFREG)
			continue;
		snprintf(to, sizeof to, "%s/%s", directory, name);
		r = copy_out(archive, to, err);
		if (r < 0)
			return r;
		found++;
	}
	return 0;
}

int kubernetes_programs(const char *archive, const char *folder, const char *const *names, size_t count,
			const char *cache, char directory[PATH_MAX], struct err *err)
{
	char hash[DIGEST_TEXT], path[PATH_MAX];
	size_t there = 0;
	int r = digest_file(archive, hash, err);

	if (r < 0)
		return r;
	snprintf(directory, PATH_MAX, "%s/unpacked/%s", cache, hash);
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		there += access(path, X_OK) == 0;
	}
	if (there == count)
		return 0;
	r = check_gzip(archive, err);
	return r < 0 ? r : read_archive(archive, folder, names, count, directory, err);
}

/* Official archives have no file that says the version, so the program is asked. */
static int ask_version(const char *kubelet, struct kubernetes_version *version, struct err *err)
{
	_cleanup_(buf_free) struct buf said = {.max = 4096};
	const char *const argv[] = {kubelet, "--version", NULL};
	struct process process = {.argv = argv, .output = &said, .timeout_ms = VERSION_TIMEOUT_MS};
	int r = process_run_ok(&process, err);

	if (r < 0)
		return r;
	if (said.data)
		said.data[strcspn(said.data, "\n")] = 0;
	if (strncmp(buf_string(&said), "Kubernetes ", 11))
		return err_set(err, EINVAL, "expected \"Kubernetes vVERSION\", found \"%.60s\"", buf_string(&said));
	return kubernetes_version_parse(said.data + 11, version, err);
}

int add_kubernetes(struct tree *tree, const char *archive, const char *cache, struct kubernetes_version *version,
		   struct err *err)
{
	char directory[PATH_MAX], from[PATH_MAX], to[PATH_MAX], line[64];
	int r = kubernetes_programs(archive, "kubernetes/server/bin", node_programs, NODE_PROGRAMS, cache, directory,
				    err);

	if (r < 0)
		return err_wrap(err, r, "kubernetes");
	snprintf(from, sizeof from, "%s/kubelet", directory);
	r = ask_version(from, version, err);
	for (size_t i = 0; i < NODE_PROGRAMS && !r; i++) {
		const char *hash = strrchr(directory, '/') + 1;
		char identity[128];
		struct node_wish wish = {.path = to,
					 .type = NODE_FILE,
					 .mode = 0755,
					 .source = from,
					 .identity = identity,
					 .from = "kubernetes"};
		struct stat st;

		snprintf(from, sizeof from, "%s/%s", directory, node_programs[i]);
		snprintf(to, sizeof to, "/usr/lib/kubernetes/%s", node_programs[i]);
		snprintf(identity, sizeof identity, "%.64s/%s", hash, node_programs[i]);
		if (stat(from, &st) < 0)
			return err_errno(err, "kubernetes: %s", from);
		wish.size = (uint64_t)st.st_size;
		r = tree_add(tree, &wish, err);
	}
	if (r < 0)
		return err_wrap(err, r, "kubernetes");
	snprintf(line, sizeof line, "%s\n", version->text);
	return tree_add_text(tree, KUBERNETES_VERSION_PATH, 0644, line, err);
}
