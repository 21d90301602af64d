/* What a dying kernel left: records of the pstore file system, parts of its log.
 *
 * Source: kernel, Documentation/ABI/testing/pstore; drivers/firmware/efi/efi-pstore.c, generic_id(): the name holds
 * time, part and count, and part 1 is the end of the log.
 */
#include "storage/last_words.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#define RECORDS_MAX 64
#define RECORD_BYTES_MAX 65536

/* The best first: an oops or a lockup may have been survived, a panic was not. */
static const char *const marks[] = {"Kernel panic - not syncing", "BUG: ", "Oops: ", "Unable to handle "};

static void copy_line(const char *at, const char *end, char reason[LAST_WORDS_REASON])
{
	size_t len = 0;

	for (; at < end && *at != '\n' && len < LAST_WORDS_REASON - 1; at++)
		reason[len++] = isprint((unsigned char)*at) ? *at : '?';
	while (len && reason[len - 1] == ' ')
		len--;
	reason[len] = 0;
}

bool find_reason(const char *log, size_t len, char reason[LAST_WORDS_REASON])
{
	reason[0] = 0;
	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
		const char *at = len ? memmem(log, len, marks[i], strlen(marks[i])) : NULL;

		if (!at)
			continue;
		copy_line(at, log + len, reason);
		return true;
	}
	return false;
}

int compare_record_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)b, *(const char *const *)a);
}

static void free_names(char *(*names)[RECORDS_MAX])
{
	for (size_t i = 0; i < RECORDS_MAX; i++)
		free((*names)[i]);
}

static int list_records(const char *folder, char **names, struct err *err)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;
	int count = 0;

	if (!list)
		return err_errno(err, "open %s", folder);
	while (count < RECORDS_MAX && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		names[count] = strdup(entry->d_name);
		if (!names[count]) {
			closedir(list);
			return err_set(err, ENOMEM, "%s: no memory", folder);
		}
		count++;
	}
	closedir(list);
	qsort(names, (size_t)count, sizeof *names, compare_record_names);
	return count;
}

int read_records(const char *folder, struct buf *text, struct buf *names, struct err *err)
{
	_cleanup_(free_names) char *found[RECORDS_MAX] = {NULL};
	int count = list_records(folder, found, err);

	for (int i = 0; i < count; i++) {
		char path[512];
		int r;

		if (snprintf(path, sizeof path, "%s/%s", folder, found[i]) >= (int)sizeof path)
			return err_set(err, ENAMETOOLONG, "%s/%s: name too long", folder, found[i]);
		r = file_read(path, RECORD_BYTES_MAX, text, err);
		if (!r)
			r = buf_add(names, found[i], strlen(found[i]) + 1);
		if (r)
			return err_wrap(err, r, "keep %s", path);
	}
	return count;
}
