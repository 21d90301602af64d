/* The files, links and directories that an image description lists. They come last, and so they may replace what a
 * package brought: writing them into the description is the decision. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "root/parts.h"

static int add_one(struct tree *tree, const struct image_file *f, struct err *err);

/* Every file of a folder of the clone, under the same names. */
static int add_folder(struct tree *tree, const char *path, const char *source, struct err *err)
{
	struct dirent **entries;
	int count = scandir(source, &entries, NULL, alphasort), r = 0;

	if (count < 0)
		return err_errno(err, "files: %s: source %s", path, source);
	for (int i = 0; i < count; i++) {
		char from[PATH_MAX], to[PATH_MAX];
		struct image_file file = {.path = to, .source = from};

		snprintf(from, sizeof from, "%s/%s", source, entries[i]->d_name);
		snprintf(to, sizeof to, "%s/%s", path, entries[i]->d_name);
		if (!r && entries[i]->d_name[0] != '.')
			r = add_one(tree, &file, err);
		free(entries[i]);
	}
	free(entries);
	return r;
}

static int add_one(struct tree *tree, const struct image_file *f, struct err *err)
{
	struct node_wish wish = {.path = f->path,
				 .mode = f->mode ? f->mode : 0644,
				 .uid = f->uid,
				 .gid = f->gid,
				 .from = "the description",
				 .replaces = true};
	struct stat st;

	if (f->directory) {
		wish.type = NODE_DIRECTORY;
		wish.mode = f->mode ? f->mode : 0755;
	} else if (f->link) {
		wish.type = NODE_LINK;
		wish.target = f->link;
	} else {
		wish.type = NODE_FILE;
		wish.source = f->source;
		wish.bytes = f->content;
		if (f->source && stat(f->source, &st) < 0)
			return err_errno(err, "files: %s: source %s", f->path, f->source);
		if (f->source && S_ISDIR(st.st_mode))
			return add_folder(tree, f->path, f->source, err);
		if (f->source && !S_ISREG(st.st_mode))
			return err_set(err, EINVAL, "files: %s: expected source %s to be a file or a folder", f->path,
				       f->source);
		wish.size = f->source ? (uint64_t)st.st_size : strlen(f->content);
	}
	return tree_add(tree, &wish, err);
}

int add_files(struct tree *tree, const struct description *description, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < description->file_count && !r; i++)
		r = add_one(tree, &description->files[i], err);
	return r;
}
