/* Put an unpacked package into the tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "packages/unpack.h"

#define INDEX_MAX ((size_t)16 << 20)
#define FIELDS 8

int index_parse_line(const char *line, struct index_entry *entry, struct err *err)
{
	const char *fields[FIELDS];
	size_t lengths[FIELDS], count = 0;
	char *end[5];

	for (const char *p = line; count < FIELDS; p++) {
		fields[count] = p;
		lengths[count] = strcspn(p, "\t");
		p += lengths[count++];
		if (!*p)
			break;
	}
	if (count != FIELDS || lengths[0] != 1 || !strchr("dfl", *line) || lengths[6] < 2 || lengths[6] >= PATH_MAX ||
	    lengths[7] >= PATH_MAX || fields[7][lengths[7]])
		return err_set(err, EBADMSG, "expected %d fields, found \"%.80s\"", FIELDS, line);
	entry->type = *line;
	entry->mode = (uint32_t)strtoul(fields[1], &end[0], 8);
	entry->uid = (uint32_t)strtoul(fields[2], &end[1], 10);
	entry->gid = (uint32_t)strtoul(fields[3], &end[2], 10);
	entry->size = strtoull(fields[4], &end[3], 10);
	entry->number = (unsigned)strtoul(fields[5], &end[4], 10);
	for (size_t i = 0; i < 5; i++)
		if (*end[i] != '\t' || !lengths[i + 1])
			return err_set(err, EBADMSG, "expected a number, found \"%.80s\"", fields[i + 1]);
	memcpy(entry->path, fields[6], lengths[6]);
	entry->path[lengths[6]] = 0;
	memcpy(entry->target, fields[7], lengths[7] + 1);
	return 0;
}

/* Call use for every entry until it returns something else than 0. */
static int each_entry(const char *directory, int (*use)(const struct index_entry *entry, void *data, struct err *err),
		      void *data, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {.max = INDEX_MAX};
	_cleanup_free_ struct index_entry *entry = malloc(sizeof *entry);
	char path[PATH_MAX];
	int r;

	snprintf(path, sizeof path, "%s/index", directory);
	r = entry ? file_read(path, INDEX_MAX, &text, err) : err_set(err, ENOMEM, "no memory");
	/* every package has its folder in /usr/share/doc (Debian policy 12.5) */
	if (!r && !text.len)
		return err_set(err, EBADMSG, "%s: expected the package's files, found none: remove %s", path,
			       directory);
	for (char *line = text.data, *next; !r && line && *line; line = next) {
		next = strchr(line, '\n');
		if (!next)
			return err_set(err, EBADMSG, "%s: expected a newline at its end: remove %s", path, directory);
		*next++ = 0;
		r = index_parse_line(line, entry, err);
		if (r < 0)
			return err_wrap(err, r, "%s is damaged: remove %s", path, directory);
		r = use(entry, data, err);
	}
	return r;
}

struct merging {
	const char *directory;
	const struct package *package;
	struct tree *tree;
};

static int add_entry(const struct index_entry *entry, void *data, struct err *err)
{
	static const enum node_type types[] = {['d'] = NODE_DIRECTORY, ['f'] = NODE_FILE, ['l'] = NODE_LINK};
	const struct merging *m = data;
	char source[PATH_MAX], identity[96];
	struct node_wish wish = {.path = entry->path,
				 .type = types[(unsigned char)entry->type],
				 .mode = entry->mode,
				 .target = entry->target,
				 .size = entry->size,
				 .from = m->package->name};
	struct stat st;

	if (entry->type == 'f') {
		snprintf(source, sizeof source, "%s/%u", m->directory, entry->number);
		snprintf(identity, sizeof identity, "%s/%u", m->package->sha256, entry->number);
		/* A power cut while the cache was written leaves files that are too short. */
		if (stat(source, &st) < 0 || (uint64_t)st.st_size != entry->size)
			return err_set(err, EBADMSG, "%s: expected %llu bytes in %s: remove %s", entry->path,
				       (unsigned long long)entry->size, source, m->directory);
		wish.source = source;
		wish.identity = identity;
	}
	return tree_add(m->tree, &wish, err);
}

int package_merge(const char *directory, const struct package *package, struct tree *tree, struct err *err)
{
	struct merging m = {directory, package, tree};

	return each_entry(directory, add_entry, &m, err);
}

struct looking {
	const char *path;
	unsigned number;
};

static int is_wanted(const struct index_entry *entry, void *data, struct err *err)
{
	struct looking *l = data;

	(void)err;
	l->number = entry->number;
	return entry->type == 'f' && !strcmp(entry->path, l->path);
}

int package_file(const char *directory, const char *path, char found[PATH_MAX], struct err *err)
{
	struct looking l = {.path = path};
	int r = each_entry(directory, is_wanted, &l, err);

	if (r == 0)
		return err_set(err, ENOENT, "expected a file %s in the package, found none", path);
	if (r > 0)
		snprintf(found, PATH_MAX, "%s/%u", directory, l.number);
	return r > 0 ? 0 : r;
}
