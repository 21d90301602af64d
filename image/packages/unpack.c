/* Unpack a .deb into the cache: an ar archive whose data.tar.{xz,zst,gz} holds the files.
 *
 * Files lie there under numbers, with the package's own modes, so that a tree can be staged by hard links; `index`
 * says what they are. The folder is made beside its place and renamed, so it is whole or not there.
 * Source: deb(5).
 */
#include "packages/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "root/stage.h"
#include "string_list.h"

#define BLOCK 65536
#define INDEX_MAX ((size_t)16 << 20)
#define FILES_MAX 100000u

struct unpack {
	struct archive *outer, *inner;
	char directory[PATH_MAX]; /* where it is made */
	struct buf index;
	struct strings paths; /* of contents, by number: hard links look their target up */
	struct err *err;
};

static void close_archives(struct unpack *u)
{
	if (u->inner)
		archive_read_free(u->inner);
	if (u->outer)
		archive_read_free(u->outer);
	buf_free(&u->index);
	strings_free(&u->paths);
}

static int archive_err(struct err *err, struct archive *a, const char *doing)
{
	int errnum = archive_errno(a);

	return err_set(err, errnum > 0 ? errnum : EBADMSG, "%s: %s", doing,
		       archive_error_string(a) ? archive_error_string(a) : "damaged");
}

/* data.tar as the inner archive reads it: the current member of the outer one. */
static la_ssize_t read_member(struct archive *inner, void *data, const void **block)
{
	struct unpack *u = data;
	size_t len = 0;
	la_int64_t offset;
	int r = archive_read_data_block(u->outer, block, &len, &offset);

	if (r == ARCHIVE_EOF)
		return 0;
	if (r != ARCHIVE_OK) {
		archive_set_error(inner, EBADMSG, "%s", archive_error_string(u->outer));
		return -1;
	}
	return (la_ssize_t)len;
}

static int open_data(struct unpack *u, const char *deb)
{
	struct archive_entry *entry;
	int r;

	u->outer = archive_read_new();
	u->inner = archive_read_new();
	if (!u->outer || !u->inner)
		return err_set(u->err, ENOMEM, "no memory");
	archive_read_support_format_ar(u->outer);
	if (archive_read_open_filename(u->outer, deb, BLOCK) != ARCHIVE_OK)
		return archive_err(u->err, u->outer, "open");
	do {
		r = archive_read_next_header(u->outer, &entry);
		if (r == ARCHIVE_EOF)
			return err_set(u->err, EBADMSG, "expected a member data.tar, found none");
		if (r != ARCHIVE_OK)
			return archive_err(u->err, u->outer, "read");
	} while (strncmp(archive_entry_pathname(entry), "data.tar", 8));
	archive_read_support_format_tar(u->inner);
	archive_read_support_filter_xz(u->inner);
	archive_read_support_filter_zstd(u->inner);
	archive_read_support_filter_gzip(u->inner);
	if (archive_read_open(u->inner, u, NULL, read_member, NULL) != ARCHIVE_OK)
		return archive_err(u->err, u->inner, "data.tar");
	return 0;
}

/* "./usr/bin/ls" or "usr/bin/" to "/usr/bin/ls", "/usr/bin"; -EBADMSG for what could lead out of the tree. */
static int clean_name(const char *name, char path[PATH_MAX], struct err *err)
{
	size_t len;

	if (name[0] == '.' && name[1] == '/')
		name++;
	len = (size_t)snprintf(path, PATH_MAX, "%s%s", *name == '/' ? "" : "/", name);
	if (len >= PATH_MAX)
		return err_set(err, ENAMETOOLONG, "a path of %zu bytes", len);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = 0;
	for (const char *p = path; *p; p++) {
		if ((unsigned char)*p < ' ')
			return err_set(err, EBADMSG, "%s: a control character in a path", path);
		if (p[0] == '/' && p[1] == '.' && p[2] == '.' && (p[3] == '/' || !p[3]))
			return err_set(err, EBADMSG, "%s: a path that leads upwards", path);
	}
	return 0;
}

/* size: what the header says, and so the index. A file with holes brings less, and no package has one. */
static int write_content(struct unpack *u, unsigned number, const char *name, uint32_t mode, uint64_t size)
{
	char path[PATH_MAX + 16];
	_cleanup_close_ int fd = -1;
	uint64_t written = 0;

	snprintf(path, sizeof path, "%s/%u", u->directory, number);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(u->err, "make %s", path);
	for (;;) {
		const void *block;
		size_t len;
		la_int64_t offset;
		int r = archive_read_data_block(u->inner, &block, &len, &offset);

		if (r == ARCHIVE_EOF)
			break;
		if (r != ARCHIVE_OK)
			return archive_err(u->err, u->inner, "data.tar");
		r = write_all(fd, block, len);
		if (r < 0)
			return err_set(u->err, -r, "write %s: %s", path, strerror(-r));
		written += len;
	}
	if (written != size)
		return err_set(u->err, EBADMSG, "%s: expected %llu bytes, found %llu", name, (unsigned long long)size,
			       (unsigned long long)written);
	return fchmod(fd, mode) < 0 ? err_errno(u->err, "mode of %s", path) : 0;
}

static int add_line(struct unpack *u, char type, struct archive_entry *entry, unsigned number, uint64_t size,
		    const char *path, const char *target)
{
	/* Nobody logs in on a node, so that no program needs to be set-uid. */
	unsigned mode = (unsigned)archive_entry_perm(entry) & 01777;
	int r = buf_addf(&u->index, "%c\t%o\t%lld\t%lld\t%llu\t%u\t%s\t%s\n", type, mode,
			 (long long)archive_entry_uid(entry), (long long)archive_entry_gid(entry),
			 (unsigned long long)size, number, path, target);

	return r < 0 ? err_set(u->err, -r, "index: %s", strerror(-r)) : 0;
}

static int add_hard_link(struct unpack *u, struct archive_entry *entry, const char *path)
{
	char target[PATH_MAX], content[PATH_MAX + 16];
	struct stat st;
	int r = clean_name(archive_entry_hardlink(entry), target, u->err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < u->paths.count; i++) {
		if (strcmp(u->paths.items[i], target))
			continue;
		snprintf(content, sizeof content, "%s/%zu", u->directory, i);
		if (stat(content, &st) < 0)
			return err_errno(u->err, "%s", content);
		return add_line(u, 'f', entry, (unsigned)i, (uint64_t)st.st_size, path, "");
	}
	return err_set(u->err, EBADMSG, "%s: a hard link to %s, which is not in the package", path, target);
}

static int add_link(struct unpack *u, struct archive_entry *entry, const char *path)
{
	const char *target = archive_entry_symlink(entry);

	if (!target || !*target)
		return err_set(u->err, EBADMSG, "%s: a link to nothing", path);
	for (const char *p = target; *p; p++)
		if ((unsigned char)*p < ' ')
			return err_set(u->err, EBADMSG, "%s: a control character in the target of a link", path);
	return add_line(u, 'l', entry, 0, 0, path, target);
}

static int add_entry(struct unpack *u, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	unsigned number = (unsigned)u->paths.count;
	uint64_t size = (uint64_t)archive_entry_size(entry);
	char path[PATH_MAX];
	int r;

	if (!name)
		return err_set(u->err, EBADMSG, "an entry without a name");
	r = clean_name(name, path, u->err);
	if (r < 0 || !strcmp(path, "/") || !strcmp(path, "/."))
		return r;
	if (archive_entry_hardlink(entry))
		return add_hard_link(u, entry, path);
	switch (archive_entry_filetype(entry)) {
	case AE_IFDIR:
		return add_line(u, 'd', entry, 0, 0, path, "");
	case AE_IFLNK:
		return add_link(u, entry, path);
	case AE_IFREG:
		break;
	default:
		return err_set(u->err, EBADMSG, "%s: expected a file, directory or link", path);
	}
	if (number >= FILES_MAX)
		return err_set(u->err, E2BIG, "more than %u files", FILES_MAX);
	if (strings_add(&u->paths, path) < 0)
		return err_set(u->err, ENOMEM, "no memory");
	r = write_content(u, number, path, (uint32_t)archive_entry_perm(entry) & 01777, size);
	return r < 0 ? r : add_line(u, 'f', entry, number, size, path, "");
}

static int unpack_all(struct unpack *u, const char *deb)
{
	int r = open_data(u, deb);

	while (!r) {
		struct archive_entry *entry;
		int got = archive_read_next_header(u->inner, &entry);

		if (got == ARCHIVE_EOF)
			break;
		if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
			return archive_err(u->err, u->inner, "data.tar");
		r = add_entry(u, entry);
	}
	return r;
}

int package_unpack(const char *deb, const char *sha256, const char *cache, char directory[PATH_MAX], struct err *err)
{
	_cleanup_(close_archives) struct unpack u = {.index = {.max = INDEX_MAX}, .err = err};
	char index[PATH_MAX + 8];
	int r;

	snprintf(directory, PATH_MAX, "%s/unpacked/%s", cache, sha256);
	snprintf(index, sizeof index, "%s/index", directory);
	if (access(index, R_OK) == 0)
		return 0;
	snprintf(u.directory, sizeof u.directory, "%s/unpacked", cache);
	r = make_directories(u.directory, 0755, err);
	if (r < 0)
		return r;
	snprintf(u.directory, sizeof u.directory, "%s/unpacked/new-%.16s-XXXXXX", cache, sha256);
	if (!mkdtemp(u.directory))
		return err_errno(err, "make %s", u.directory);
	r = unpack_all(&u, deb);
	snprintf(index, sizeof index, "%s/index", u.directory);
	if (!r)
		r = file_write_atomic(index, buf_string(&u.index), u.index.len, 0644, err);
	if (!r && chmod(u.directory, 0755) < 0)
		r = err_errno(err, "mode of %s", u.directory);
	/* Another build may have been faster with the very same content. */
	if (!r && rename(u.directory, directory) < 0 && errno != EEXIST && errno != ENOTEMPTY)
		r = err_errno(err, "rename %s to %s", u.directory, directory);
	remove_tree(u.directory, NULL);
	if (r < 0)
		return err_wrap(err, r, "unpack %s", deb);
	return r;
}
