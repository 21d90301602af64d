/* A Debian package, unpacked into a cache that is thrown away: what was unpacked whole can be read from its index.
 *
 * The checksums of tar headers are made right first, so that what lies behind them is reached.
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/file.h"
#include "packages/unpack.h"
#include "root/stage.h"

#define HEADER 512
#define MAGIC_AT 257
#define SUM_AT 148

static void make_checksum_right(uint8_t *header)
{
	unsigned sum = 8 * ' ';

	for (size_t i = 0; i < HEADER; i++)
		sum += i >= SUM_AT && i < SUM_AT + 8 ? 0u : header[i];
	snprintf((char *)header + SUM_AT, 8, "%06o", sum);
}

static void make_checksums_right(uint8_t *deb, size_t len)
{
	uint8_t *at = deb;

	while ((at = memmem(at, len - (size_t)(at - deb), "ustar", 5))) {
		if (at - deb >= MAGIC_AT && len - (size_t)(at - deb) >= HEADER - MAGIC_AT)
			make_checksum_right(at - MAGIC_AT);
		at++;
	}
}

static void unpack(const char *deb, const char *cache)
{
	char directory[PATH_MAX], found[PATH_MAX], index[PATH_MAX + 8];
	struct buf text = {0};
	struct err err = {""};
	int r;

	if (package_unpack(deb, "0123456789abcdef0123456789abcdef", cache, directory, &err) < 0) {
		PROMISE(!strncmp(err.text, "unpack ", 7));
		return;
	}
	snprintf(index, sizeof index, "%s/index", directory);
	PROMISE(!file_read(index, (size_t)1 << 24, &text, &err));
	r = package_file(directory, "/usr/share/doc/a/copyright", found, &err);
	PROMISE(!r || r == -ENOENT || !text.len); /* a package without files is refused when it is read */
	buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = fuzz_copy(data, len, 0);
	int fd = memfd_create("deb", MFD_CLOEXEC);
	const char *tmp = getenv("TMPDIR");
	char cache[PATH_MAX], deb[40];
	struct err err = {""};

	make_checksums_right(copy, len);
	PROMISE(fd >= 0 && !write_all(fd, copy, len));
	snprintf(deb, sizeof deb, "/proc/self/fd/%d", fd);
	snprintf(cache, sizeof cache, "%s/keelson-fuzz-deb-%d", tmp ? tmp : "/tmp", (int)getpid());
	unpack(deb, cache);
	PROMISE(!remove_tree(cache, &err));
	close(fd);
	free(copy);
	return 0;
}
