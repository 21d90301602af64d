/* The initramfs: init and the modules it needs to reach the root.
 *
 * libarchive writes the cpio (newc) and the zstd frame. Nothing of the build machine gets in: owner 0, inode numbers
 * counted from 1, one time, zstd on one thread with a fixed level.
 * Source: kernel Documentation/driver-api/early-userspace/buffer-format.rst.
 */
#include "boot/write_initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/output_file.h"

#define FILE_MAX ((size_t)64 << 20)
/* 19 takes 10 s longer for 11 MiB of modules, and saves 0.3 MiB. */
#define ZSTD_LEVEL "9"

struct cpio {
	struct archive *archive;
	int64_t time, inode;
};

static void cpio_close(struct cpio *cpio)
{
	if (cpio->archive)
		archive_write_free(cpio->archive);
}

static void entry_freep(struct archive_entry **entry)
{
	archive_entry_free(*entry);
}

static void reader_freep(struct archive **archive)
{
	archive_read_free(*archive);
}

static int archive_error(struct archive *archive, const char *what, struct err *err)
{
	int errnum = archive_errno(archive) > 0 ? archive_errno(archive) : EIO;
	const char *text = archive_error_string(archive);

	return err_set(err, errnum, "%s: %s: %s", what, text ? text : "failed", strerror(errnum));
}

/* Put one entry in; content NULL: a directory or a node. */
static int put(struct cpio *cpio, const char *path, mode_t mode, dev_t device, const struct buf *content,
	       struct err *err)
{
	_cleanup_(entry_freep) struct archive_entry *entry = archive_entry_new();
	size_t len = content ? content->len : 0;

	if (!entry)
		return err_set(err, ENOMEM, "%s: %s", path, strerror(ENOMEM));
	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_nlink(entry, S_ISDIR(mode) ? 2 : 1);
	archive_entry_set_ino64(entry, ++cpio->inode);
	archive_entry_set_mtime(entry, cpio->time, 0);
	archive_entry_set_size(entry, (int64_t)len);
	if (S_ISCHR(mode))
		archive_entry_set_rdev(entry, device);
	if (archive_write_header(cpio->archive, entry) != ARCHIVE_OK)
		return archive_error(cpio->archive, path, err);
	if (len && archive_write_data(cpio->archive, content->data, len) != (la_ssize_t)len)
		return archive_error(cpio->archive, path, err);
	return 0;
}

static int put_places(struct cpio *cpio, struct err *err)
{
	static const char *const directories[] = {"dev", "modules", "proc", "run", "sys", "sysroot"};
	int r = 0;

	for (size_t i = 0; !r && i < sizeof directories / sizeof *directories; i++)
		r = put(cpio, directories[i], S_IFDIR | 0755, 0, NULL, err);
	if (!r)
		r = put(cpio, "dev/console", S_IFCHR | 0600, makedev(5, 1), NULL, err);
	return r;
}

/* A module's bytes, decompressed where the distribution compresses them (.ko.xz, .ko.zst, .ko.gz): init hands the
 * kernel what it finds, and the initramfs is compressed as a whole. */
static int read_module(const char *path, struct buf *content, struct err *err)
{
	_cleanup_(reader_freep) struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	static const unsigned char elf[] = {0x7f, 'E', 'L', 'F'};

	if (!archive)
		return err_set(err, ENOMEM, "%s: %s", path, strerror(ENOMEM));
	archive_read_support_filter_xz(archive);
	archive_read_support_filter_zstd(archive);
	archive_read_support_filter_gzip(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open_filename(archive, path, 65536) != ARCHIVE_OK ||
	    archive_read_next_header(archive, &entry) != ARCHIVE_OK)
		return archive_error(archive, path, err);
	for (;;) {
		char chunk[65536];
		la_ssize_t n = archive_read_data(archive, chunk, sizeof chunk);

		if (n < 0)
			return archive_error(archive, path, err);
		if (n == 0)
			break;
		if (buf_add(content, chunk, (size_t)n) < 0)
			return err_set(err, EFBIG, "%s: expected at most %zu bytes, found more", path, FILE_MAX);
	}
	if (content->len < sizeof elf || memcmp(content->data, elf, sizeof elf))
		return err_set(err, EBADMSG, "%s: expected an ELF file, found something else", path);
	return 0;
}

/* "kernel/fs/erofs/erofs.ko.xz", 7 -> "modules/007-erofs.ko" */
static int module_place(const char *path, size_t number, char place[NAME_MAX])
{
	const char *base = strrchr(path, '/');
	const char *end;

	base = base ? base + 1 : path;
	end = strstr(base, ".ko");
	if (!end || number > 999 || end - base > 100)
		return -EINVAL;
	snprintf(place, NAME_MAX, "modules/%03zu-%.*s.ko", number, (int)(end - base), base);
	return 0;
}

static int put_modules(struct cpio *cpio, const struct initramfs *initramfs, struct err *err)
{
	_cleanup_(buf_free) struct buf list = {0};
	int r = 0;

	for (size_t i = 0; !r && i < initramfs->modules->count; i++) {
		_cleanup_(buf_free) struct buf content = {.max = FILE_MAX};
		char path[PATH_MAX], place[NAME_MAX];

		snprintf(path, sizeof path, "%s/%s", initramfs->modules_directory, initramfs->modules->paths[i]);
		r = module_place(initramfs->modules->paths[i], i, place);
		if (r < 0)
			return err_set(err, -r, "%s: expected a name that ends in .ko, and at most 1000 modules", path);
		r = read_module(path, &content, err);
		if (!r)
			r = put(cpio, place, S_IFREG | 0644, 0, &content, err);
		if (!r && buf_addf(&list, "/%s\n", place) < 0)
			r = err_set(err, ENOMEM, "list of modules: %s", strerror(ENOMEM));
	}
	return r ? r : put(cpio, "modules/list", S_IFREG | 0644, 0, &list, err);
}

static int cpio_open(struct cpio *cpio, int fd, struct err *err)
{
	cpio->archive = archive_write_new();
	if (!cpio->archive)
		return err_set(err, ENOMEM, "%s", strerror(ENOMEM));
	if (archive_write_set_format_cpio_newc(cpio->archive) != ARCHIVE_OK ||
	    archive_write_add_filter_zstd(cpio->archive) != ARCHIVE_OK ||
	    archive_write_set_filter_option(cpio->archive, "zstd", "compression-level", ZSTD_LEVEL) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(cpio->archive, 1) != ARCHIVE_OK ||
	    archive_write_open_fd(cpio->archive, fd) != ARCHIVE_OK)
		return archive_error(cpio->archive, "start the archive", err);
	return 0;
}

static int fill(struct cpio *cpio, const struct initramfs *initramfs, struct err *err)
{
	_cleanup_(buf_free) struct buf init = {.max = FILE_MAX};
	int r = put_places(cpio, err);

	if (!r)
		r = file_read(initramfs->init, FILE_MAX, &init, err);
	if (!r)
		r = put(cpio, "init", S_IFREG | 0755, 0, &init, err);
	if (!r)
		r = put_modules(cpio, initramfs, err);
	if (!r && archive_write_close(cpio->archive) != ARCHIVE_OK)
		r = archive_error(cpio->archive, "end the archive", err);
	return r;
}

int write_initramfs(const struct initramfs *initramfs, struct err *err)
{
	_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
	_cleanup_(cpio_close) struct cpio cpio = {.time = initramfs->time};
	int r = output_open(&output, initramfs->output, err);

	if (!r)
		r = cpio_open(&cpio, output.fd, err);
	if (!r)
		r = fill(&cpio, initramfs, err);
	if (!r)
		r = output_commit(&output, err);
	return r < 0 ? err_wrap(err, r, "initramfs") : 0;
}
