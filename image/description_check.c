/* What must hold of an image description when everything has been read. */
#include "description.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "oci/images.h"

static int check_files(const char *file, const struct description *d, struct err *err)
{
	for (size_t i = 0; i < d->file_count; i++) {
		const struct image_file *f = &d->files[i];
		int kinds = !!f->content + !!f->source + !!f->link + f->directory;

		if (!f->path)
			return err_set(err, EINVAL, "%s: files: element %zu: expected the key path, found none", file,
				       i + 1);
		if (kinds != 1)
			return err_set(err, EINVAL,
				       "%s: files: %s: expected one of content, source, link and directory, found %d",
				       file, f->path, kinds);
		if (d->root_format == ROOT_EROFS && (f->uid || f->gid))
			return err_set(
				err, EINVAL,
				"%s: files: %s: expected uid and gid 0 in an erofs root (mkfs.erofs 1.5 gives all "
				"files to root), found %u:%u: use the format squashfs",
				file, f->path, f->uid, f->gid);
	}
	return 0;
}

/* Both become fields of /etc/passwd. Names: useradd(8). */
static bool fits_passwd(const struct image_user *u)
{
	size_t len = strspn(u->name, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return !u->name[len] && len <= 32 && !isdigit((unsigned char)*u->name) && *u->name != '-' &&
	       !strchr(u->home, ':');
}

static int check_users(const char *file, const struct description *d, struct err *err)
{
	for (size_t i = 0; i < d->user_count; i++) {
		const struct image_user *u = &d->users[i];

		if (!u->name || !u->home || !u->id)
			return err_set(err, EINVAL, "%s: users: element %zu: expected name, id above 0, and home", file,
				       i + 1);
		if (!fits_passwd(u))
			return err_set(
				err, EINVAL,
				"%s: users: element %zu: expected a name of lower-case letters, digits, _ and -, "
				"and a home without a colon, found \"%s\", %s",
				file, i + 1, u->name, u->home);
		for (size_t j = 0; j < i; j++)
			if (!strcmp(d->users[j].name, u->name) || d->users[j].id == u->id)
				return err_set(err, EINVAL,
					       "%s: users: %s: expected a name and id of its own, found %s, %u", file,
					       u->name, d->users[j].name, d->users[j].id);
	}
	return 0;
}

static int check_preloads(const char *file, const struct description *d, struct err *err)
{
	for (size_t i = 0; i < d->preload_count; i++) {
		const struct image_preload *p = &d->preloads[i];

		if (!p->name || !p->kind || !p->tags.count)
			return err_set(err, EINVAL, "%s: preload: element %zu: expected name, kind and tags", file,
				       i + 1);
		if (strpbrk(p->name, "/ "))
			return err_set(err, EINVAL, "%s: preload: expected a file name, found \"%s\"", file, p->name);
		for (size_t j = 0; j < p->tags.count; j++)
			if (check_image_tag(p->tags.items[j], err) < 0)
				return err_wrap(err, -EINVAL, "%s: preload: %s", file, p->name);
	}
	return 0;
}

int description_check(const char *file, const struct description *d, struct err *err)
{
	int r;

	if (!d->suite)
		return err_set(err, EINVAL, "%s: suite: expected the name of a Debian suite, found nothing", file);
	if (!d->kernel)
		return err_set(err, EINVAL, "%s: kernel: expected the name of a kernel package, found nothing", file);
	if (!d->packages.count)
		return err_set(err, EINVAL, "%s: packages: expected at least one, found none", file);
	if (d->root_cluster &&
	    (d->root_cluster & (d->root_cluster - 1) || d->root_cluster < 4096 || d->root_cluster > 1 << 20))
		return err_set(err, EINVAL, "%s: root.cluster: expected a power of two from 4K to 1M, found %llu", file,
			       (unsigned long long)d->root_cluster);
	r = check_files(file, d, err);
	if (!r)
		r = check_users(file, d, err);
	if (!r)
		r = check_preloads(file, d, err);
	return r;
}

void description_free(struct description *d)
{
	struct strings *const lists[] = {&d->packages,	      &d->tools,    &d->provided,      &d->drop,   &d->replace,
					 &d->modules_exclude, &d->services, &d->busybox_links, &d->cmdline};

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		strings_free(lists[i]);
	for (size_t i = 0; i < d->file_count; i++) {
		free(d->files[i].path);
		free(d->files[i].content);
		free(d->files[i].source);
		free(d->files[i].link);
	}
	for (size_t i = 0; i < d->user_count; i++) {
		free(d->users[i].name);
		free(d->users[i].home);
	}
	for (size_t i = 0; i < d->preload_count; i++) {
		free(d->preloads[i].name);
		free(d->preloads[i].kind);
		strings_free(&d->preloads[i].tags);
	}
	free(d->files);
	free(d->users);
	free(d->preloads);
	free(d->suite);
	free(d->kernel);
	free(d->root_compression);
	memset(d, 0, sizeof *d);
}
