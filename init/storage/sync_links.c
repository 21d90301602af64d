/* Make a folder of links as it is wanted, and take away what is not.
 *
 * What is there is compared with what is wanted, and nothing is remembered: a restart of the service, or a link that
 * somebody removed, needs no case of its own.
 */
#include "storage/sync_links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/file.h"
#include "lib/order.h"

static const char *const folders[] = {
	"disk/by-id",	"disk/by-label", "disk/by-partlabel", "disk/by-partuuid", "disk/by-path",
	"disk/by-uuid", "mapper"};

static int by_link(const void *a, const void *b)
{
	const struct wanted_link *x = a, *y = b;
	int order = strcmp(x->link, y->link);

	return order ? order : order_of(x->rank, y->rank);
}

size_t settle_links(struct wanted_link *links, size_t count)
{
	size_t kept = 0;

	qsort(links, count, sizeof *links, by_link);
	for (size_t i = 0; i < count; i++)
		if (!kept || strcmp(links[kept - 1].link, links[i].link))
			links[kept++] = links[i];
	return kept;
}

static int find_link(const void *key, const void *element)
{
	return strcmp(key, ((const struct wanted_link *)element)->link);
}

static void remove_unwanted(const char *root, const char *folder, const struct wanted_link *links, size_t count)
{
	char path[PATH_MAX], link[PATH_MAX];
	struct dirent *entry;
	struct stat st;
	DIR *dir;

	snprintf(path, sizeof path, "%s/%s", root, folder);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISLNK(st.st_mode))
			continue;
		snprintf(link, sizeof link, "%s/%s", folder, entry->d_name);
		if (!bsearch(link, links, count, sizeof *links, find_link))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

static int place_link(const char *root, const struct wanted_link *wanted, struct err *err)
{
	char path[PATH_MAX], beside[PATH_MAX], target[512], now[512], *slash;
	const char *up = strncmp(wanted->link, "disk/", 5) ? "../" : "../../";
	ssize_t n;

	if ((size_t)snprintf(path, sizeof path, "%s/%s", root, wanted->link) >= sizeof path - 8)
		return err_set(err, ENAMETOOLONG, "link %s", wanted->link);
	snprintf(target, sizeof target, "%s%s", up, wanted->name);
	n = readlink(path, now, sizeof now - 1);
	if (n >= 0 && (size_t)n == strlen(target) && !memcmp(now, target, (size_t)n))
		return 0;
	slash = strrchr(path, '/');
	*slash = 0;
	if (make_directories(path, 0755, err) < 0)
		return -EIO;
	snprintf(beside, sizeof beside, "%.*s/.new", (int)(sizeof beside - 8), path);
	*slash = '/';
	unlink(beside);
	if (symlink(target, beside) < 0 || rename(beside, path) < 0)
		return err_errno(err, "link %s", path);
	return 0;
}

int sync_links(const char *root, const struct wanted_link *links, size_t count, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		remove_unwanted(root, folders[i], links, count);
	for (size_t i = 0; i < count; i++) {
		int failed = place_link(root, &links[i], r ? NULL : err);

		r = r ? r : failed; /* the others are made all the same */
	}
	return r;
}
