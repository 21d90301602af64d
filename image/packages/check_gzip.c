/* Is an archive what its maker packed? libarchive does not compare the checksum at the end of a gzip stream, so that a
 * flipped bit would land in a program of the image.
 */
#include "packages/check_gzip.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "lib/cleanup.h"

#define CHUNK ((unsigned)1 << 20)

int check_gzip(const char *path, struct err *err)
{
	_cleanup_free_ char *chunk = malloc(CHUNK);
	gzFile file = gzopen(path, "rbe");
	const char *said;
	int n, state, r = 0;

	if (!file || !chunk) {
		if (file)
			gzclose(file);
		return err_errno(err, "open %s", path);
	}
	gzbuffer(file, CHUNK);
	do
		n = gzread(file, chunk, CHUNK);
	while (n > 0);
	said = gzerror(file, &state);
	if (state == Z_BUF_ERROR)
		r = err_set(err, EBADMSG, "%s: expected a whole gzip file, found one that is cut short", path);
	else if (state != Z_OK && state != Z_STREAM_END)
		r = err_set(err, EBADMSG, "%s: expected a whole gzip file, found it damaged (%s)", path, said);
	gzclose(file);
	return r;
}
