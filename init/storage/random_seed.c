/* A seed for the kernel's random numbers, kept from boot to boot.
 *
 * The next seed is on the disk before the last one is credited, so a power cut never lets one be credited twice. It is
 * hashed from the last one and from what the kernel gives at that moment, which may be poor. Only a seed made from
 * good numbers is credited. Source: random(4) RNDADDENTROPY; the design of SeedRNG.
 */
#include "storage/random_seed.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/file.h"

#ifndef GRND_INSECURE
#define GRND_INSECURE 4
#endif

#define CREDITED_BITS 256

bool next_seed(const unsigned char *last, size_t len, const unsigned char fresh[SEED_BYTES], bool fresh_is_good,
	       unsigned char next[SEED_FILE_BYTES])
{
	static const char purpose[] = "keelson random seed 1";
	unsigned char input[sizeof purpose + SEED_FILE_BYTES + SEED_BYTES] = {0};
	bool whole = len == SEED_FILE_BYTES, good = whole && last[SEED_BYTES] == '1';

	memcpy(input, purpose, sizeof purpose);
	if (whole)
		memcpy(input + sizeof purpose, last, SEED_FILE_BYTES);
	memcpy(input + sizeof purpose + SEED_FILE_BYTES, fresh, SEED_BYTES);
	EVP_Digest(input, sizeof input, next, NULL, EVP_sha512(), NULL);
	explicit_bzero(input, sizeof input);
	next[SEED_BYTES] = good || fresh_is_good ? '1' : '0';
	return good;
}

static int give_to_kernel(const void *seed, size_t len, bool credit, struct err *err)
{
	struct {
		struct rand_pool_info info;
		unsigned char bytes[SEED_FILE_BYTES];
	} request = {.info = {.entropy_count = credit ? CREDITED_BITS : 0, .buf_size = (int)len}};
	_cleanup_close_ int fd = open("/dev/urandom", O_WRONLY | O_CLOEXEC);
	int r = 0;

	if (fd < 0)
		return err_errno(err, "open /dev/urandom");
	memcpy(request.bytes, seed, len);
	if (ioctl(fd, RNDADDENTROPY, &request) < 0)
		r = err_errno(err, "give the random seed to the kernel");
	explicit_bzero(&request, sizeof request);
	return r;
}

/* Never waits. Returns whether the numbers are good. */
static bool fresh_numbers(unsigned char to[SEED_BYTES])
{
	struct timespec now;

	if (getrandom(to, SEED_BYTES, GRND_NONBLOCK) == SEED_BYTES)
		return true;
	memset(to, 0, SEED_BYTES);
	if (getrandom(to, SEED_BYTES, GRND_INSECURE) != SEED_BYTES) {
		clock_gettime(CLOCK_REALTIME, &now);
		memcpy(to, &now, sizeof now);
	}
	return false;
}

static int renew(const char *path, const struct buf *last, bool *good, struct err *err)
{
	unsigned char fresh[SEED_BYTES], next[SEED_FILE_BYTES];
	bool fresh_is_good = fresh_numbers(fresh);
	int r;

	*good = next_seed((const unsigned char *)last->data, last->len, fresh, fresh_is_good, next);
	r = file_write_atomic(path, next, sizeof next, 0600, err);
	explicit_bzero(fresh, sizeof fresh);
	explicit_bzero(next, sizeof next);
	return r;
}

int load_random_seed(const char *path, bool *credited, struct err *err)
{
	_cleanup_(buf_free) struct buf last = {0};
	int r;

	*credited = false;
	file_read(path, 4096, &last, NULL);
	r = renew(path, &last, credited, err);
	if (r < 0)
		*credited = false; /* it may come again at the next boot */
	if (last.len == SEED_FILE_BYTES && give_to_kernel(last.data, last.len, *credited, r < 0 ? NULL : err) < 0 && !r)
		r = -EIO;
	if (last.data)
		explicit_bzero(last.data, last.len);
	return r;
}

int save_random_seed(const char *path, struct err *err)
{
	_cleanup_(buf_free) struct buf last = {0};
	bool good;

	file_read(path, 4096, &last, NULL);
	return renew(path, &last, &good, err);
}
