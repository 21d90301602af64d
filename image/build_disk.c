/* The acts about booting and disks: verity tree, initramfs, UKI, ESP, partition table, qcow2, and what it all weighs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "boot/check_kernel_config.h"
#include "boot/render_cmdline.h"
#include "boot/select_modules.h"
#include "boot/write_initramfs.h"
#include "boot/write_uki.h"
#include "build.h"
#include "disk/plan_disk.h"
#include "disk/write_disk.h"
#include "disk/write_esp.h"
#include "disk/write_qcow2.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/hex.h"
#include "progress.h"
#include "root/parts.h"

#define TEXT_MAX 65536

static int make_initramfs(struct build *b, struct err *err)
{
	_cleanup_(module_list_free) struct module_list modules = {0};
	char names[PATH_MAX], directory[PATH_MAX * 2], init[PATH_MAX];
	struct initramfs initramfs = {.init = init,
				      .modules_directory = directory,
				      .modules = &modules,
				      .time = b->time,
				      .output = b->initramfs};
	int r;

	snprintf(names, sizeof names, "%s/initramfs.modules", b->kernel);
	snprintf(directory, sizeof directory, "%s/usr/lib/modules/%s", b->stage, b->kernel_version);
	snprintf(init, sizeof init, "%s/init", b->programs);
	r = select_modules_in(names, directory, &modules, err);
	if (!r)
		r = write_initramfs(&initramfs, err);
	if (!r)
		progress("initramfs", "%zu modules", modules.count);
	return r;
}

/* Words of the description, behind those of kernel/cmdline. */
static int extra_words(const struct strings *words, struct buf *text)
{
	int r = 0;

	for (size_t i = 0; i < words->count && !r; i++)
		r = buf_addf(text, "%s%s", i ? " " : "", words->items[i]);
	return r;
}

static int make_uki(struct build *b, struct err *err)
{
	_cleanup_(buf_free) struct buf template = {0}, line = {0}, extra = {0}, release = {0};
	struct release wanted = {.version = b->version, .kubernetes = b->kubernetes_version.text, .time = b->time};
	struct uki uki = {.stub = b->stub,
			  .kernel = b->vmlinuz,
			  .initramfs = b->initramfs,
			  .uname = b->kernel_version,
			  .output = b->uki};
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof path, "%s/cmdline", b->kernel);
	r = file_read(path, TEXT_MAX, &template, err);
	if (!r && (extra_words(&b->description.cmdline, &extra) < 0 || render_os_release(&wanted, &release) < 0))
		r = err_set(err, ENOMEM, "no memory");
	if (!r)
		r = render_cmdline(buf_string(&template), b->verity.root_hash, extra.len ? extra.data : NULL, &line,
				   err);
	uki.os_release = buf_string(&release);
	uki.cmdline = buf_string(&line);
	if (!r)
		r = write_uki(&uki, err);
	if (!r)
		progress("uki", "%s", uki.cmdline);
	return r;
}

int build_boot(struct build *b, struct err *err)
{
	char required[PATH_MAX], hash[VERITY_HASH_BYTES * 2 + 1];
	int r;

	snprintf(required, sizeof required, "%s/required.config", b->kernel);
	r = check_kernel_config_file(required, b->config, err);
	if (r < 0)
		return err_wrap(err, r, "kernel %s", b->kernel_version);
	verity_name(&b->verity, b->version);
	r = verity_format(b->root, b->tree_file, &b->verity, err);
	if (r < 0)
		return r;
	hex_text(b->verity.root_hash, sizeof b->verity.root_hash, hash);
	progress("verity", "root hash %s", hash);
	r = make_initramfs(b, err);
	return r < 0 ? r : make_uki(b, err);
}

static uint64_t size_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* Holes do not count. */
static uint64_t space_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (uint64_t)st.st_blocks * 512 : 0;
}

static void describe(const struct build *b, struct disk_description *d)
{
	*d = (struct disk_description){.version = b->version,
				       .disk_bytes = b->description.disk_bytes,
				       .esp_bytes = b->description.esp_bytes,
				       .root_bytes = b->description.slot_bytes,
				       .verity_bytes = b->description.verity_bytes,
				       .root_used = size_of(b->root),
				       .verity_used = size_of(b->tree_file)};
	memcpy(d->root_hash, b->verity.root_hash, sizeof d->root_hash);
}

int build_disk(struct build *b, struct err *err)
{
	struct disk_description description;
	struct disk_contents contents = {.esp = b->esp, .root = b->root, .verity = b->tree_file, .output = b->raw};
	struct esp esp = {
		.version = b->version, .systemd_boot = b->loader, .uki = b->uki, .time = b->time, .output = b->esp};
	struct disk_plan plan;
	int r;

	describe(b, &description);
	r = plan_disk(&description, &plan, err);
	if (r < 0)
		return r;
	esp.bytes = plan.partitions[DISK_ESP].sectors * DISK_SECTOR;
	r = write_esp(&esp, err);
	if (!r)
		r = write_disk(&plan, &contents, err);
	if (r < 0)
		return r;
	progress("disk", "%s", b->raw);
	r = write_qcow2(b->raw, b->qcow2, false, err);
	if (!r)
		progress("disk", "%s", b->qcow2);
	return r;
}

struct part {
	const char *name;   /* in the table */
	const char *prefix; /* of paths */
	uint64_t bytes;
};

static void weigh(const struct tree *tree, struct part *parts, size_t count)
{
	for (size_t i = 0; i < tree->count; i++) {
		const struct node *node = tree->nodes[i];

		for (size_t p = 0; p < count; p++) {
			if (strncmp(node->path, parts[p].prefix, strlen(parts[p].prefix)))
				continue;
			parts[p].bytes += node->size;
			break;
		}
	}
}

int build_sizes(struct build *b, struct err *err)
{
	struct part parts[] = {
		{"root: Kubernetes", "/usr/lib/kubernetes/", 0},
		{"root: kernel modules", "/usr/lib/modules/", 0},
		{"root: container images", "/usr/lib/keelson/images/", 0},
		{"root: CNI plugins", "/usr/lib/cni/", 0},
		{"root: libraries", "/usr/lib/x86_64-linux-gnu/", 0},
		{"root: containerd, ctr, shims", "/usr/bin/c", 0},
		{"root: programs in bin", "/usr/bin/", 0},
		{"root: programs in sbin", "/usr/sbin/", 0},
		{"root: everything else", "/", 0},
	};
	const size_t count = sizeof parts / sizeof *parts;
	struct size_row rows[sizeof parts / sizeof *parts + 6];
	const struct description *d = &b->description;
	_cleanup_(buf_free) struct buf text = {0};
	size_t n = 0;

	weigh(&b->tree, parts, count);
	for (size_t i = 0; i < count; i++)
		rows[n++] = (struct size_row){parts[i].name, parts[i].bytes, 0};
	rows[n++] = (struct size_row){"root image, compressed", size_of(b->root), d->slot_bytes};
	rows[n++] = (struct size_row){"verity tree", size_of(b->tree_file), d->verity_bytes};
	rows[n++] = (struct size_row){"initramfs", size_of(b->initramfs), 0};
	rows[n++] = (struct size_row){"UKI", size_of(b->uki), d->esp_bytes};
	rows[n++] = (struct size_row){"raw disk, without holes", space_of(b->raw), d->disk_bytes};
	rows[n++] = (struct size_row){"qcow2", size_of(b->qcow2), 0};
	if (render_sizes(rows, n, &text) < 0)
		return err_set(err, ENOMEM, "no memory");
	printf("\n%s\n", buf_string(&text));
	return 0;
}
