/* keelson last-words: tell why the boot before ended, where its kernel or its PID 1 could still say so.
 *
 * The text goes to /var/log/keelson/last-words.log (`keelson logs last-words`), synced, before it is taken out of the
 * firmware's variables: those are few, and a power cut between costs nothing but a second telling.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "keelson.h"
#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/err.h"
#include "lib/file.h"
#include "lib/last_words_path.h"
#include "lib/story.h"
#include "storage/last_words.h"

#define PSTORE "/sys/fs/pstore"
#define KEPT "/var/log/keelson/last-words.log"
#define FAULT_BYTES_MAX 4096

static void remove_records(const struct buf *names)
{
	char path[512];

	for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1) {
		snprintf(path, sizeof path, PSTORE "/%s", names->data + at);
		unlink(path);
	}
	unlink(FAULT_PATH);
}

static void tell_reason(const struct buf *fault, const struct buf *text)
{
	char reason[LAST_WORDS_REASON];

	if (fault->len)
		story("the boot before ended with %.*s", (int)strcspn(buf_string(fault), "\n"), buf_string(fault));
	if (!text->len)
		return;
	if (find_reason(text->data, text->len, reason))
		story("the kernel of an earlier boot ended with \"%s\": keelson logs last-words", reason);
	else
		story("the kernel of an earlier boot left a log without a reason: keelson logs last-words");
}

int last_words_main(int argc, char **argv)
{
	_cleanup_(buf_free) struct buf text = {0}, names = {0}, fault = {0};
	struct err err = {0};
	int r = read_records(PSTORE, &text, &names, &err);

	(void)argc;
	(void)argv;
	if (r < 0 && r != -ENOENT)
		fprintf(stderr, "last-words: %s\n", err.text);
	r = file_read(FAULT_PATH, FAULT_BYTES_MAX, &fault, &err);
	if (r < 0 && r != -ENOENT)
		fprintf(stderr, "last-words: %s\n", err.text);
	if (!text.len && !fault.len)
		return 0;
	tell_reason(&fault, &text);
	r = buf_add(&text, fault.data, fault.len);
	if (!r)
		r = file_write_atomic(KEPT, text.data, text.len, 0600, &err);
	if (r < 0) {
		fprintf(stderr, "last-words: cannot keep them, they stay where they are: %s\n", err.text);
		return 1;
	}
	remove_records(&names);
	return 0;
}
