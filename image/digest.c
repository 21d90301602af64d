/* SHA-256 as lower-case hex, of bytes and of files. */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/hex.h"

#define CHUNK ((size_t)1 << 20)

static void free_context(EVP_MD_CTX **context)
{
	EVP_MD_CTX_free(*context);
}

static int finish(EVP_MD_CTX *context, char text[DIGEST_TEXT], struct err *err)
{
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned int len = 0;

	if (EVP_DigestFinal_ex(context, hash, &len) != 1 || len != 32)
		return err_set(err, EIO, "sha256 failed");
	hex_text(hash, len, text);
	return 0;
}

int digest_bytes(const void *data, size_t len, char text[DIGEST_TEXT], struct err *err)
{
	_cleanup_(free_context) EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1 ||
	    EVP_DigestUpdate(context, data, len) != 1)
		return err_set(err, EIO, "sha256 failed");
	return finish(context, text, err);
}

int digest_file(const char *path, char text[DIGEST_TEXT], struct err *err)
{
	_cleanup_(free_context) EVP_MD_CTX *context = EVP_MD_CTX_new();
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	_cleanup_free_ char *chunk = malloc(CHUNK);
	struct stat st;

	if (fd < 0)
		return err_errno(err, "open %s", path);
	/* a device may have no end */
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, EINVAL, "%s: expected a file", path);
	if (!chunk || !context || EVP_DigestInit_ex(context, EVP_sha256(), NULL) != 1)
		return err_set(err, ENOMEM, "sha256 of %s: no memory", path);
	for (;;) {
		ssize_t n = read(fd, chunk, CHUNK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, "read %s", path);
		if (n == 0)
			return finish(context, text, err);
		if (EVP_DigestUpdate(context, chunk, (size_t)n) != 1)
			return err_set(err, EIO, "sha256 of %s failed", path);
	}
}
