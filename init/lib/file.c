/* Whole files: read with a bound, replaced atomically, directories made on the way. */
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"

int write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_read_fd(int fd, size_t max, struct buf *buf, struct err *err)
{
	size_t start = buf->len;
	char chunk[16384];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof chunk);
		int r;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, "read");
		if (n == 0)
			return buf_add(buf, "", 0);
		if (buf->len - start + (size_t)n > max)
			return err_set(err, EFBIG, "expected at most %zu bytes, found more", max);
		r = buf_add(buf, chunk, (size_t)n);
		if (r < 0)
			return err_set(err, -r, "buffer: %s", strerror(-r));
	}
}

int file_read(const char *path, size_t max, struct buf *buf, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r;

	if (fd < 0)
		return err_errno(err, "open %s", path);
	r = file_read_fd(fd, max, buf, err);
	return r < 0 ? err_wrap(err, r, "%s", path) : 0;
}

int make_directories(const char *path, mode_t mode, struct err *err)
{
	char part[PATH_MAX];
	size_t len = strlen(path);

	if (!len || len >= sizeof part)
		return err_set(err, ENAMETOOLONG, "directory name of %zu bytes", len);
	memcpy(part, path, len + 1);
	for (char *p = part + 1;; p++) {
		char was = *p;

		if (was != '/' && was != 0)
			continue;
		*p = 0;
		if (mkdir(part, was ? 0755 : mode) < 0 && errno != EEXIST)
			return err_errno(err, "make directory %s", part);
		if (!was)
			return 0;
		*p = was;
	}
}

/* Split PATH into its directory (in `directory`, of PATH_MAX bytes) and return the file's own name. */
static const char *split(const char *path, char *directory)
{
	const char *slash = strrchr(path, '/');

	if (!slash) {
		strcpy(directory, ".");
		return path;
	}
	if (slash == path) {
		strcpy(directory, "/");
		return slash + 1;
	}
	memcpy(directory, path, (size_t)(slash - path));
	directory[slash - path] = 0;
	return slash + 1;
}

static int write_synced(int directory, const char *name, const void *data, size_t len, mode_t mode)
{
	_cleanup_close_ int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, data, len);
	if (!r && (fchmod(fd, mode) < 0 || fsync(fd) < 0))
		r = -errno;
	return r;
}

int file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, struct err *err)
{
	_cleanup_close_ int directory = -1;
	char parent[PATH_MAX], beside[NAME_MAX + 1];
	const char *name;
	int r;

	if (strlen(path) >= sizeof parent)
		return err_set(err, ENAMETOOLONG, "write %s", path);
	name = split(path, parent);
	if ((size_t)snprintf(beside, sizeof beside, ".%s.new", name) >= sizeof beside)
		return err_set(err, ENAMETOOLONG, "write %s", path);
	r = make_directories(parent, 0755, err);
	if (r < 0)
		return err_wrap(err, r, "write %s", path);
	directory = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0)
		return err_errno(err, "write %s: open %s", path, parent);
	unlinkat(directory, beside, 0);
	r = write_synced(directory, beside, data, len, mode);
	if (!r && renameat(directory, beside, directory, name) < 0)
		r = -errno;
	if (!r && fsync(directory) < 0)
		r = -errno;
	if (r < 0) {
		unlinkat(directory, beside, 0);
		return err_set(err, -r, "write %s: %s", path, strerror(-r));
	}
	return 0;
}

int file_poke(const char *path, const char *value, struct err *err)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(value);
	ssize_t n;

	if (fd < 0)
		return err_errno(err, "open %s", path);
	n = write(fd, value, len);
	if (n < 0)
		return err_errno(err, "write \"%s\" to %s", value, path);
	if ((size_t)n != len)
		return err_set(err, EIO, "write \"%s\" to %s: only %zd bytes were taken", value, path, n);
	return 0;
}
