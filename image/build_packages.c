/* The acts about packages: described, resolved, compared with the lock, downloaded, unpacked, merged. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "disk/plan_disk.h"
#include "lib/file.h"
#include "packages/lock.h"
#include "packages/unpack.h"
#include "progress.h"
#include "root/make_root.h"
#include "root/parts.h"

static int work_path(const struct build *build, const char *name, char path[PATH_MAX], struct err *err)
{
	return snprintf(path, PATH_MAX, "%s/%s", build->work, name) < PATH_MAX
		       ? 0
		       : err_set(err, ENAMETOOLONG, "%s: name too long", build->work);
}

/* Two builds in one folder would stage over each other: the later one waits. */
static int lock_work(struct build *b, struct err *err)
{
	/* not O_CLOEXEC: a program that outlives a killed mkimage writes there still, and keeps the lock */
	b->lock = open(b->work, O_RDONLY | O_DIRECTORY);
	if (b->lock < 0)
		return err_errno(err, "open %s", b->work);
	if (flock(b->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	progress("image", "waiting for another mkimage, or what one left running, in %s (fuser -v tells)", b->work);
	return flock(b->lock, LOCK_EX) < 0 ? err_errno(err, "lock %s", b->work) : 0;
}

static int name_outputs(struct build *b, struct err *err)
{
	struct {
		char *path;
		const char *name;
	} files[] = {{b->stage, "root"},
		     {b->root, "root.img"},
		     {b->tree_file, "root.verity"},
		     {b->initramfs, "initramfs.img"},
		     {b->uki, "keelson.efi"},
		     {b->esp, "esp.img"}};
	char out[PATH_MAX];
	bool other;
	int r;

	/* apt takes a relative path as one below its own folders. */
	r = make_directories(b->out, 0755, err);
	if (!r && !realpath(b->out, out))
		r = err_errno(err, "%s", b->out);
	/* Each profile has intermediate files of its own, so that changing between two costs nothing. */
	if (!r && snprintf(b->work, sizeof b->work, "%s/work/%s", out, b->profile) >= PATH_MAX - 64)
		r = err_set(err, ENAMETOOLONG, "%s: name too long", out);
	for (size_t i = 0; i < sizeof files / sizeof *files && !r; i++)
		r = work_path(b, files[i].name, files[i].path, err);
	/* The default profile's image needs no second name: keelson-0.1.0, keelson-qemu-0.1.0. */
	other = strcmp(b->profile, "default") != 0;
	snprintf(b->raw, sizeof b->raw, "%s/keelson%s%s-%s-amd64.raw", b->out, other ? "-" : "",
		 other ? b->profile : "", b->version);
	snprintf(b->qcow2, sizeof b->qcow2, "%s/keelson%s%s-%s-amd64.qcow2", b->out, other ? "-" : "",
		 other ? b->profile : "", b->version);
	if (!r)
		r = make_directories(b->work, 0755, err);
	return r < 0 ? r : lock_work(b, err);
}

/* A module's pattern names a file or a folder of the kernel's modules. */
static int gather_drops(struct build *b)
{
	const struct description *d = &b->description;
	int r = 0;

	for (size_t i = 0; i < d->drop.count && !r; i++)
		r = strings_add(&b->drop, d->drop.items[i]);
	for (size_t i = 0; i < d->modules_exclude.count && !r; i++) {
		const char *pattern = d->modules_exclude.items[i];

		r = strings_addf(&b->drop, "/usr/lib/modules/*/kernel/%s", pattern);
		if (!r)
			r = strings_addf(&b->drop, "/usr/lib/modules/*/kernel/%s/*", pattern);
	}
	return r;
}

static int gather_names(struct build *b)
{
	const struct description *d = &b->description;
	int r = strings_add(&b->names, d->kernel);

	for (size_t i = 0; i < d->packages.count && !r; i++)
		r = strings_add(&b->names, d->packages.items[i]);
	for (size_t i = 0; i < d->tools.count && !r; i++)
		r = strings_add(&b->names, d->tools.items[i]);
	return r;
}

/* What the command line names is looked for at once: some of it is needed only after minutes. */
static int check_wishes(const struct build *b, struct err *err)
{
	const char *const files[] = {b->kubernetes, b->busybox, b->apt_conf};
	int r = disk_version_check(b->version, err);

	if (!r && (strchr(b->profile, '/') || *b->profile == '.'))
		r = err_set(err, EINVAL, "profile \"%s\": expected the name of a file in %s, without .yaml", b->profile,
			    b->descriptions);
	for (size_t i = 0; i < sizeof files / sizeof *files && !r; i++) {
		struct stat st;

		if (files[i] && stat(files[i], &st) < 0)
			r = err_errno(err, "%s", files[i]);
		else if (files[i] && !S_ISREG(st.st_mode))
			r = err_set(err, EINVAL, "%s: expected a file", files[i]);
	}
	for (size_t i = 0; i < b->images.count && !r; i++)
		r = check_given_image(b->images.items[i], err);
	return r;
}

/* The partitions fit the disk, whatever will be in them. */
static int check_disk(const struct build *b, struct err *err)
{
	const struct description *d = &b->description;
	const struct disk_description wanted = {.version = b->version,
						.disk_bytes = d->disk_bytes,
						.esp_bytes = d->esp_bytes,
						.root_bytes = d->slot_bytes,
						.verity_bytes = d->verity_bytes};
	struct disk_plan plan;

	return plan_disk(&wanted, &plan, err);
}

int build_start(struct build *b, struct err *err)
{
	int r = check_wishes(b, err);

	if (!r)
		r = description_load(b->descriptions, b->profile, &b->description, err);
	if (!r)
		r = check_disk(b, err);
	if (!r)
		r = name_outputs(b, err);
	if (!r && (gather_drops(b) < 0 || gather_names(b) < 0))
		r = err_set(err, ENOMEM, "no memory");
	if (r < 0)
		return r;
	b->tree.drop = &b->drop;
	b->tree.replace = &b->description.replace;
	progress("image", "profile %s, version %s, Debian %s, %zu packages wanted", b->profile, b->version,
		 b->description.suite, b->names.count);
	return 0;
}

static int lock_path(const struct build *b, char path[PATH_MAX], struct err *err)
{
	return snprintf(path, PATH_MAX, "%s/%s.lock", b->descriptions, b->profile) < PATH_MAX
		       ? 0
		       : err_set(err, ENAMETOOLONG, "%s: name too long", b->descriptions);
}

int build_resolve(struct build *b, struct err *err)
{
	char path[PATH_MAX];
	uint64_t bytes = 0;
	int r;

	b->apt.conf = b->apt_conf;
	b->apt.work = b->work;
	b->apt.provided = &b->description.provided;
	r = apt_open(&b->apt, err);
	if (!r)
		r = apt_resolve(&b->apt, &b->names, &b->packages, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < b->packages.count; i++)
		bytes += b->packages.items[i].bytes;
	progress("packages", "%zu resolved, %s to download in all", b->packages.count, human_size(bytes));
	r = lock_path(b, path, err);
	if (!r)
		r = lock_check(path, &b->packages, b->locked, err);
	return r < 0 ? r : 0;
}

int build_lock(struct build *b, struct err *err)
{
	char path[PATH_MAX];
	int r = lock_path(b, path, err);

	if (!r)
		r = lock_write(path, &b->packages, err);
	if (!r)
		progress("lock", "%s names %zu packages", path, b->packages.count);
	return r;
}

int build_download(struct build *b, struct err *err)
{
	char deb[PATH_MAX], directory[PATH_MAX];
	size_t fetched = 0;
	int r = apt_download(&b->apt, &b->names, &b->packages, &fetched, err);

	for (size_t i = 0; i < b->packages.count && !r; i++) {
		const struct package *p = &b->packages.items[i];

		snprintf(deb, sizeof deb, "%s/%s", b->apt.archives, p->file);
		r = package_unpack(deb, p->sha256, b->cache, directory, err);
	}
	if (!r)
		progress("packages", "%zu downloaded, %zu with the right SHA-256", fetched, b->packages.count);
	return r;
}

static void unpacked(const struct build *b, const struct package *p, char directory[PATH_MAX])
{
	snprintf(directory, PATH_MAX, "%s/unpacked/%s", b->cache, p->sha256);
}

/* Files of packages that do not go into the root: kernel, its configuration, EFI stub, boot loader. */
static int find_kernel(struct build *b, struct err *err)
{
	char directory[PATH_MAX], path[PATH_MAX];
	int r = find_kernel_version(&b->tree, b->kernel_version, err);

	if (r < 0)
		return r;
	snprintf(path, sizeof path, "linux-image-%s", b->kernel_version);
	if (!package_find(&b->packages, path))
		return err_set(err, ENOENT, "expected a package %s, found none", path);
	unpacked(b, package_find(&b->packages, path), directory);
	snprintf(path, sizeof path, "/boot/vmlinuz-%s", b->kernel_version);
	r = package_file(directory, path, b->vmlinuz, err);
	snprintf(path, sizeof path, "/boot/config-%s", b->kernel_version);
	return r < 0 ? r : package_file(directory, path, b->config, err);
}

static int find_loader(struct build *b, struct err *err)
{
	const struct package *p = package_find(&b->packages, "systemd-boot-efi");
	char directory[PATH_MAX];
	int r;

	if (!p)
		return err_set(err, ENOENT, "tools: expected systemd-boot-efi, found no such package");
	unpacked(b, p, directory);
	r = package_file(directory, "/usr/lib/systemd/boot/efi/linuxx64.efi.stub", b->stub, err);
	return r < 0 ? r : package_file(directory, "/usr/lib/systemd/boot/efi/systemd-bootx64.efi", b->loader, err);
}

int build_merge(struct build *b, struct err *err)
{
	size_t modules = 0, dropped = 0;
	int r = add_skeleton(&b->tree, err);

	for (size_t i = 0; i < b->packages.count && !r; i++) {
		const struct package *p = &b->packages.items[i];
		char directory[PATH_MAX];

		if (strings_have(&b->description.tools, p->name))
			continue;
		unpacked(b, p, directory);
		r = package_merge(directory, p, &b->tree, err);
	}
	if (!r)
		r = find_kernel(b, err);
	if (!r)
		r = find_loader(b, err);
	if (!r)
		r = drop_modules(&b->tree, b->kernel_version, &modules, &dropped, err);
	if (!r)
		progress("packages", "%zu files; kernel %s, %zu modules, %zu left out with those they need",
			 b->tree.count, b->kernel_version, modules, dropped);
	return r;
}

void build_free(struct build *b)
{
	if (b->lock > 0)
		close(b->lock);
	description_free(&b->description);
	strings_free(&b->images);
	strings_free(&b->names);
	strings_free(&b->drop);
	package_set_free(&b->packages);
	tree_free(&b->tree);
}
