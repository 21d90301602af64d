/* The container images that an image brings along. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/process.h"
#include "oci/docker_archive.h"
#include "oci/images.h"

#define LIST_TIMEOUT_MS 10000
#define ARCHIVE_BLOCK 65536

static int add_directories(struct tree *tree, const char *const *paths, struct err *err)
{
	int r = 0;

	for (size_t i = 0; paths[i] && !r; i++)
		r = tree_add_directory(tree, paths[i], strcmp(paths[i], "/tmp") ? 0755 : 01777, err);
	return r;
}

static int add_empty_files(struct tree *tree, const char *const *paths, struct err *err)
{
	int r = 0;

	for (size_t i = 0; paths[i] && !r; i++)
		r = tree_add_text(tree, paths[i], 0644, "", err);
	return r;
}

/* What is mounted over in a static pod (init/cluster) and in every sandbox is there already, so that runc makes
 * nothing: overlayfs gives up the right to reserved blocks whoever asks, and on a full disk no control plane would
 * start. Source: ovl_fill_super() of Linux 6.1, "Never override disk quota limits or use reserved space". */
static int add_mount_points(struct tree *tree, struct err *err)
{
	static const char *const directories[] = {"/etc/kubernetes/pki/etcd", "/etc/ssl/certs", "/var/lib/etcd",
						  "/var/lib/kubelet/volumeplugins", NULL};
	static const char *const files[] = {"/etc/hostname",
					    "/etc/hosts",
					    "/etc/kubernetes/controller-manager.conf",
					    "/etc/kubernetes/kube-proxy.conf",
					    "/etc/kubernetes/kube-proxy.yaml",
					    "/etc/kubernetes/scheduler.conf",
					    "/etc/resolv.conf",
					    "/run/xtables.lock",
					    NULL};
	int r = add_directories(tree, directories, err);

	return r < 0 ? r : add_empty_files(tree, files, err);
}

static int fill_base(const struct image_wish *wish, struct tree *tree, struct strings *entrypoint, struct err *err)
{
	static const char *const directories[] = {"/dev", "/etc", "/proc", "/run", "/sys",
						  "/tmp", "/usr", "/var",  NULL};
	static const char *const links[] = {"bin", "lib", "lib64", "sbin"};
	int r = add_directories(tree, directories, err);

	if (!r)
		r = add_mount_points(tree, err);
	for (size_t i = 0; i < sizeof links / sizeof *links && !r; i++) {
		char path[16], target[16];

		snprintf(path, sizeof path, "/%s", links[i]);
		snprintf(target, sizeof target, "usr/%s", links[i]);
		r = tree_add_link(tree, path, target, err);
	}
	if (!r)
		r = tree_add_file(tree, "/pause", 0755, wish->program, err);
	if (!r && strings_add(entrypoint, "/pause") < 0)
		r = err_set(err, ENOMEM, "no memory");
	return r;
}

/* /bin/busybox, and a link for each program that it says it is. */
static int add_busybox_links(struct tree *tree, const char *busybox, struct err *err)
{
	_cleanup_(buf_free) struct buf names = {.max = 65536};
	const char *const argv[] = {busybox, "--list", NULL};
	struct process process = {.argv = argv, .output = &names, .timeout_ms = LIST_TIMEOUT_MS};
	char *save = NULL;
	int r = process_run_ok(&process, err);

	if (!r)
		r = tree_add_file(tree, "/bin/busybox", 0755, busybox, err);
	if (r < 0 || !names.data)
		return r;
	for (char *name = strtok_r(names.data, "\n", &save); name && !r; name = strtok_r(NULL, "\n", &save)) {
		char path[256];

		if (!strcmp(name, "busybox") || strchr(name, '/'))
			continue;
		snprintf(path, sizeof path, "/bin/%s", name);
		r = tree_add_link(tree, path, "busybox", err);
	}
	return r;
}

/* What a program finds in any small image. */
static int add_small_etc(struct tree *tree, struct err *err)
{
	static const char *const directories[] = {"/bin", "/dev", "/etc", "/home", "/proc",    "/root", "/run",
						  "/sys", "/tmp", "/usr", "/var",  "/var/tmp", NULL};
	int r = add_directories(tree, directories, err);

	if (!r)
		r = tree_add_text(tree, "/etc/passwd", 0644,
				  "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n", err);
	if (!r)
		r = tree_add_text(tree, "/etc/group", 0644, "root:x:0:\nnogroup:x:65534:\n", err);
	if (!r)
		r = tree_add_text(tree, "/etc/nsswitch.conf", 0644, "hosts: files dns\n", err);
	return r;
}

static int fill_busybox(const struct image_wish *wish, struct tree *tree, struct strings *command, struct err *err)
{
	int r = add_small_etc(tree, err);

	if (!r)
		r = add_busybox_links(tree, wish->program, err);
	if (!r && strings_add(command, "sh") < 0)
		r = err_set(err, ENOMEM, "no memory");
	return r;
}

/* Source: test/images/agnhost/Dockerfile of Kubernetes. Cases call it by its second name, too. */
static int fill_agnhost(const struct image_wish *wish, struct tree *tree, struct strings *entrypoint,
			struct strings *command, struct err *err)
{
	int r = add_small_etc(tree, err);

	if (!r && wish->busybox)
		r = add_busybox_links(tree, wish->busybox, err);
	if (!r && wish->curl)
		r = tree_add_directory(tree, "/usr/bin", 0755, err);
	if (!r && wish->curl)
		r = tree_add_file(tree, "/usr/bin/curl", 0755, wish->curl, err);
	if (!r)
		r = tree_add_file(tree, "/agnhost", 0755, wish->program, err);
	if (!r)
		r = tree_add_link(tree, "/agnhost-2", "agnhost", err);
	if (!r)
		r = tree_add_directory(tree, "/uploads", 0755, err);
	if (!r && (strings_add(entrypoint, "/agnhost") < 0 || strings_add(command, "pause") < 0))
		r = err_set(err, ENOMEM, "no memory");
	return r;
}

int write_image(const struct image_wish *wish, struct err *err)
{
	_cleanup_(tree_free) struct tree tree = {.verbatim = true};
	_cleanup_(strings_free) struct strings entrypoint = {0}, command = {0}, environment = {0};
	struct container_image image = {&tree, wish->tags, &entrypoint, &command, &environment, wish->time};
	int r;

	if (!wish->tags->count)
		return err_set(err, EINVAL, "image %s: expected a tag, found none", wish->kind);
	for (size_t i = 0; i < wish->tags->count; i++)
		if (check_image_tag(wish->tags->items[i], err) < 0)
			return err_wrap(err, -EINVAL, "image %s", wish->kind);
	if (strings_add(&environment, "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin") < 0)
		return err_set(err, ENOMEM, "no memory");
	if (!strcmp(wish->kind, "base"))
		r = fill_base(wish, &tree, &entrypoint, err);
	else if (!strcmp(wish->kind, "busybox"))
		r = fill_busybox(wish, &tree, &command, err);
	else if (!strcmp(wish->kind, "agnhost"))
		r = fill_agnhost(wish, &tree, &entrypoint, &command, err);
	else
		r = err_set(err, EINVAL, "expected base, busybox or agnhost, found \"%s\"", wish->kind);
	if (!r)
		r = tree_complete(&tree, err);
	return r < 0 ? err_wrap(err, r, "image %s", wish->kind) : write_docker_archive(&image, wish->output, err);
}

static void free_archive(struct archive **archive)
{
	archive_read_free(*archive);
}

int check_image_archive(const char *path, struct err *err)
{
	_cleanup_(free_archive) struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	int r;

	if (!archive)
		return err_set(err, ENOMEM, "no memory");
	archive_read_support_format_tar(archive);
	archive_read_support_filter_none(archive);
	if (archive_read_open_filename(archive, path, ARCHIVE_BLOCK) != ARCHIVE_OK)
		return err_set(err, EINVAL, "%s: expected a tar archive: %s", path, archive_error_string(archive));
	while ((r = archive_read_next_header(archive, &entry)) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);

		if (!strncmp(name, "./", 2))
			name += 2;
		if (!strcmp(name, "manifest.json") || !strcmp(name, "index.json"))
			return 0;
	}
	return err_set(err, EINVAL, "%s: expected a container image (manifest.json or index.json), found %s", path,
		       r == ARCHIVE_EOF ? "neither" : archive_error_string(archive));
}
