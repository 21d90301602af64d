/* The tree as a directory. */
#include "root/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st, (void)where;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

/* A directory such as /proc of mode 0555 does not let its owner remove what is in it. */
static int open_up(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)where;
	return type == FTW_D && (st->st_mode & 0700) != 0700 ? chmod(path, 0700) : 0;
}

int remove_tree(const char *directory, struct err *err)
{
	if (access(directory, F_OK) < 0)
		return 0;
	if (nftw(directory, open_up, 32, FTW_PHYS) != 0 || nftw(directory, remove_one, 32, FTW_PHYS | FTW_DEPTH) != 0)
		return err_errno(err, "remove %s", directory);
	return 0;
}

static int copy_content(const struct node *node, const char *path, struct err *err)
{
	_cleanup_close_ int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	_cleanup_close_ int from = -1;
	int r = 0;

	if (to < 0)
		return err_errno(err, "make %s", path);
	if (!node->source) {
		r = write_all(to, node->bytes, node->size);
	} else {
		from = open(node->source, O_RDONLY | O_CLOEXEC);
		if (from < 0)
			return err_errno(err, "open %s", node->source);
		for (uint64_t left = node->size; left;) {
			ssize_t n = sendfile(to, from, NULL, left > 1 << 30 ? 1 << 30 : (size_t)left);

			if (n <= 0)
				return n < 0 ? err_errno(err, "copy %s", node->source)
					     : err_set(err, EIO, "copy %s: it became shorter", node->source);
			left -= (uint64_t)n;
		}
	}
	if (!r && fchmod(to, node->mode) < 0)
		r = -errno;
	return r < 0 ? err_set(err, -r, "write %s: %s", path, strerror(-r)) : 0;
}

static int stage_file(const struct node *node, const char *path, struct err *err)
{
	struct stat st;

	/* Only what lies in the cache may be linked; other sources may change while the image is made. */
	if (node->source && node->identity && stat(node->source, &st) == 0 && (st.st_mode & 07777) == node->mode &&
	    link(node->source, path) == 0)
		return 0;
	return copy_content(node, path, err);
}

static int stage_node(const struct node *node, const char *directory, struct err *err)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof path, "%s%s", directory, node->path);
	switch (node->type) {
	case NODE_DIRECTORY:
		return mkdir(path, 0755) < 0 ? err_errno(err, "make directory %s", path) : 0;
	case NODE_LINK:
		return symlink(node->target, path) < 0 ? err_errno(err, "make link %s", path) : 0;
	default:
		return stage_file(node, path, err);
	}
}

int stage_tree(const struct tree *tree, const char *directory, struct err *err)
{
	int r = remove_tree(directory, err);

	if (!r)
		r = make_directories(directory, 0755, err);
	for (size_t i = 0; i < tree->count && !r; i++)
		r = stage_node(tree->nodes[i], directory, err);
	/* Modes of directories last: one may forbid to make what is in it. */
	for (size_t i = tree->count; i > 0 && !r; i--) {
		const struct node *node = tree->nodes[i - 1];
		char path[2 * PATH_MAX];

		snprintf(path, sizeof path, "%s%s", directory, node->path);
		if (node->type == NODE_DIRECTORY && node->mode != 0755 && chmod(path, node->mode) < 0)
			r = err_errno(err, "mode of %s", path);
	}
	return r < 0 ? err_wrap(err, r, "stage the root") : 0;
}
