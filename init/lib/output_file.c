/* A large output that appears whole or not at all. */
#include "lib/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

/* The directory of PATH: what lies before its last slash. */
static void parent_of(const char *path, char parent[PATH_MAX])
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		strcpy(parent, ".");
	else
		snprintf(parent, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
}

/* A device or a folder, also behind a link, is not replaced. */
static int check_place(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "write %s: expected a file or nothing there, found %s", path,
			       S_ISDIR(st.st_mode) ? "a folder" : "something else");
	return 0;
}

int output_open(struct output_file *output, const char *path, struct err *err)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	int before = slash ? (int)(slash - path) + 1 : 0;
	int r;

	output->fd = -1;
	if ((size_t)snprintf(output->path, sizeof output->path, "%s", path) >= sizeof output->path ||
	    (size_t)snprintf(output->beside, sizeof output->beside, "%.*s.%s.new", before, path, path + before) >=
		    sizeof output->beside)
		return err_set(err, ENAMETOOLONG, "write %s: name too long", path);
	r = check_place(path, err);
	if (r < 0)
		return r;
	parent_of(path, parent);
	r = make_directories(parent, 0755, err);
	if (r < 0)
		return err_wrap(err, r, "write %s", path);
	unlink(output->beside);
	output->fd = open(output->beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (output->fd < 0)
		return err_errno(err, "write %s: create %s", path, output->beside);
	return 0;
}

static int sync_parent(const char *path)
{
	_cleanup_close_ int fd = -1;
	char parent[PATH_MAX];

	parent_of(path, parent);
	fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

/* Programs that make a file themselves may have put another one at the name, so it is opened anew to be synced. */
static int sync_beside(const struct output_file *output)
{
	_cleanup_close_ int fd = open(output->beside, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

int output_commit(struct output_file *output, struct err *err)
{
	int r = sync_beside(output);

	if (!r && rename(output->beside, output->path) < 0)
		r = -errno;
	if (r < 0) {
		output_abandon(output);
		return err_set(err, -r, "write %s: %s", output->path, strerror(-r));
	}
	closep(&output->fd);
	output->fd = -1;
	r = sync_parent(output->path);
	return r < 0 ? err_set(err, -r, "write %s: sync its directory: %s", output->path, strerror(-r)) : 0;
}

void output_abandon(struct output_file *output)
{
	if (output->fd < 0)
		return;
	closep(&output->fd);
	output->fd = -1;
	unlink(output->beside);
}
