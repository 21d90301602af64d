/* The kernel command line of a UKI. */
#include "boot/render_cmdline.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/cleanup.h"

#define PLACE "@ROOTHASH@"
#define ROOT "roothash="
#define CMDLINE_BYTES 2047 /* COMMAND_LINE_SIZE of x86, less its NUL */

static int add_word(struct buf *line, const char *word, size_t len, const char *hash, bool *placed)
{
	const char *at = memmem(word, len, PLACE, strlen(PLACE));
	int r = line->len ? buf_add(line, " ", 1) : 0;

	if (r < 0)
		return r;
	if (!at)
		return buf_add(line, word, len);
	*placed = true;
	return buf_addf(line, "%.*s%s%.*s", (int)(at - word), word, hash,
			(int)(len - (size_t)(at - word) - strlen(PLACE)), at + strlen(PLACE));
}

/* The words of TEXT, which may hold comments. */
static int add_words(struct buf *line, const char *text, const char *hash, bool *placed, struct err *err)
{
	for (const char *p = text; *p;) {
		size_t len;
		int r;

		p += strspn(p, " \t\n");
		if (*p == '#')
			p += strcspn(p, "\n");
		len = strcspn(p, " \t\n");
		if (!len)
			continue;
		for (size_t i = 0; i < len; i++)
			if (!isgraph((unsigned char)p[i]))
				return err_set(err, EINVAL, "command line: expected printable ASCII, found byte 0x%02x",
					       (unsigned char)p[i]);
		if (*placed && memmem(p, len, PLACE, strlen(PLACE)))
			return err_set(err, EINVAL, "command line: expected %s once, found it again", PLACE);
		/* stage 1 refuses two that differ: the image would never boot */
		if (*placed && !strncmp(p, ROOT, strlen(ROOT)))
			return err_set(err, EINVAL, "command line: expected %s once, found it again", ROOT);
		r = add_word(line, p, len, hash, placed);
		if (r < 0)
			return err_set(err, -r, "command line: %s", strerror(-r));
		p += len;
	}
	return 0;
}

int render_cmdline(const char *template, const uint8_t root_hash[32], const char *extra, struct buf *line,
		   struct err *err)
{
	char hash[65];
	bool placed = false;
	int r;

	for (size_t i = 0; i < 32; i++)
		snprintf(hash + 2 * i, 3, "%02x", root_hash[i]);
	r = add_words(line, template, hash, &placed, err);
	if (!r && !placed)
		r = err_set(err, EINVAL, "command line: expected %s once, found none", PLACE);
	if (!r && extra)
		r = add_words(line, extra, hash, &placed, err);
	if (!r && line->len > CMDLINE_BYTES)
		r = err_set(err, EFBIG, "command line: expected at most %d bytes, found %zu", CMDLINE_BYTES, line->len);
	return r;
}
