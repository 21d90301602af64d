/* The dm-verity hash tree of a root.
 *
 * Level 0 holds the salted hash of every data block, each further level those of the level below, until one block is
 * left: its hash is the root hash. On disk the top level comes first, behind the superblock's block.
 */
#include "disk/verity.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/output_file.h"

#define HASHES_A_BLOCK (VERITY_BLOCK / VERITY_HASH_BYTES)
#define LEVELS_MAX 9 /* 128^9 blocks: more than 64 bits of bytes */
#define READ_BLOCKS 256u

struct tree {
	unsigned levels;
	uint64_t blocks[LEVELS_MAX]; /* of each level, 0 the lowest */
	uint64_t offset[LEVELS_MAX]; /* bytes from the start of the file */
	uint64_t bytes;
};

struct hasher {
	EVP_MD_CTX *salted; /* has taken the salt; copied for each block */
	EVP_MD_CTX *work;
};

static void hasher_free(struct hasher *h)
{
	EVP_MD_CTX_free(h->salted);
	EVP_MD_CTX_free(h->work);
}

static void put_le(uint8_t *p, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static void plan_tree(uint64_t data_blocks, struct tree *tree)
{
	uint64_t blocks = data_blocks;

	*tree = (struct tree){.bytes = VERITY_BLOCK};
	do {
		blocks = blocks / HASHES_A_BLOCK + (blocks % HASHES_A_BLOCK != 0);
		tree->blocks[tree->levels++] = blocks;
	} while (blocks > 1);
	for (unsigned level = tree->levels; level-- > 0;) {
		tree->offset[level] = tree->bytes;
		tree->bytes += tree->blocks[level] * VERITY_BLOCK;
	}
}

uint64_t verity_tree_bytes(uint64_t data_blocks)
{
	struct tree tree;

	plan_tree(data_blocks, &tree);
	return tree.bytes;
}

void verity_name(struct verity *verity, const char *version)
{
	uint8_t digest[32];
	unsigned len = sizeof digest;
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	memset(digest, 0, sizeof digest);
	if (ctx && EVP_DigestInit_ex(ctx, EVP_sha256(), NULL)) {
		EVP_DigestUpdate(ctx, "keelson verity ", 15);
		EVP_DigestUpdate(ctx, version, strlen(version));
		EVP_DigestFinal_ex(ctx, digest, &len);
	}
	memcpy(verity->salt, digest, sizeof verity->salt);
	memcpy(verity->uuid, digest, sizeof verity->uuid);
	verity->uuid[6] = (uint8_t)((verity->uuid[6] & 0x0f) | 0x40); /* version and variant of RFC 9562 */
	verity->uuid[8] = (uint8_t)((verity->uuid[8] & 0x3f) | 0x80);
	EVP_MD_CTX_free(ctx);
}

static int hasher_start(struct hasher *h, const struct verity *verity, struct err *err)
{
	h->salted = EVP_MD_CTX_new();
	h->work = EVP_MD_CTX_new();
	if (!h->salted || !h->work || !EVP_DigestInit_ex(h->salted, EVP_sha256(), NULL) ||
	    !EVP_DigestUpdate(h->salted, verity->salt, sizeof verity->salt))
		return err_set(err, ENOMEM, "sha256 cannot be started");
	return 0;
}

static int hash_block(struct hasher *h, const uint8_t *block, uint8_t digest[VERITY_HASH_BYTES], struct err *err)
{
	unsigned len = VERITY_HASH_BYTES;

	if (!EVP_MD_CTX_copy_ex(h->work, h->salted) || !EVP_DigestUpdate(h->work, block, VERITY_BLOCK) ||
	    !EVP_DigestFinal_ex(h->work, digest, &len))
		return err_set(err, EIO, "sha256 failed");
	return 0;
}

/* Read LEN bytes at OFFSET; the end of the file there is an error. */
static int read_at(int fd, uint8_t *data, size_t len, uint64_t offset, struct err *err)
{
	while (len) {
		ssize_t n = pread(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, "read at byte %llu", (unsigned long long)offset);
		if (n == 0)
			return err_set(err, EIO, "the file ends at byte %llu: it became shorter",
				       (unsigned long long)offset);
		data += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

static int write_at(int fd, const uint8_t *data, size_t len, uint64_t offset, struct err *err)
{
	while (len) {
		ssize_t n = pwrite(fd, data, len, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_errno(err, "write at byte %llu", (unsigned long long)offset);
		data += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

/* Hash BLOCKS blocks of FROM at OFFSET into the level that starts at TO_OFFSET. DIGEST is left with the last hash. */
static int hash_level(struct hasher *h, int from, uint64_t offset, uint64_t blocks, int to, uint64_t to_offset,
		      uint8_t digest[VERITY_HASH_BYTES], struct err *err)
{
	static uint8_t data[READ_BLOCKS * VERITY_BLOCK];
	uint8_t hashes[VERITY_BLOCK];
	size_t used = 0;
	int r = 0;

	for (uint64_t block = 0; !r && block < blocks; block++) {
		uint64_t left = blocks - block;

		if (block % READ_BLOCKS == 0)
			r = read_at(from, data, (size_t)(left < READ_BLOCKS ? left : READ_BLOCKS) * VERITY_BLOCK,
				    offset + block * VERITY_BLOCK, err);
		if (!r)
			r = hash_block(h, data + block % READ_BLOCKS * VERITY_BLOCK, digest, err);
		if (r < 0)
			return r;
		memcpy(hashes + used, digest, VERITY_HASH_BYTES);
		used += VERITY_HASH_BYTES;
		if (used < VERITY_BLOCK && block + 1 < blocks)
			continue;
		memset(hashes + used, 0, VERITY_BLOCK - used);
		r = write_at(to, hashes, VERITY_BLOCK, to_offset, err);
		to_offset += VERITY_BLOCK;
		used = 0;
	}
	return r;
}

/* The block in front of the tree, for people and tools; the kernel gets its table from the command line. */
static int write_superblock(int to, const struct verity *verity, struct err *err)
{
	uint8_t block[VERITY_BLOCK] = "verity\0";

	put_le(block + 8, 1, 4);  /* version */
	put_le(block + 12, 1, 4); /* hash type: salt in front */
	memcpy(block + 16, verity->uuid, 16);
	memcpy(block + 32, "sha256", 6);
	put_le(block + 64, VERITY_BLOCK, 4);
	put_le(block + 68, VERITY_BLOCK, 4);
	put_le(block + 72, verity->data_blocks, 8);
	put_le(block + 80, sizeof verity->salt, 2);
	memcpy(block + 88, verity->salt, sizeof verity->salt);
	return write_at(to, block, sizeof block, 0, err);
}

static int write_tree(int from, int to, struct verity *verity, struct err *err)
{
	_cleanup_(hasher_free) struct hasher h = {0};
	uint8_t top[VERITY_BLOCK];
	struct tree tree;
	int r;

	plan_tree(verity->data_blocks, &tree);
	verity->tree_bytes = tree.bytes;
	r = hasher_start(&h, verity, err);
	if (!r)
		r = write_superblock(to, verity, err);
	if (!r)
		r = hash_level(&h, from, 0, verity->data_blocks, to, tree.offset[0], verity->root_hash, err);
	for (unsigned level = 1; !r && level < tree.levels; level++)
		r = hash_level(&h, to, tree.offset[level - 1], tree.blocks[level - 1], to, tree.offset[level],
			       verity->root_hash, err);
	if (!r)
		r = read_at(to, top, sizeof top, tree.offset[tree.levels - 1], err);
	return r ? r : hash_block(&h, top, verity->root_hash, err);
}

static int open_root(const char *root, struct verity *verity, struct err *err)
{
	_cleanup_close_ int fd = open(root, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, "open %s", root);
	/* one block alone would have no tree at all */
	if (st.st_size < 2 * VERITY_BLOCK || st.st_size % VERITY_BLOCK)
		return err_set(err, EINVAL, "%s: expected two or more blocks of %u bytes, found %lld bytes", root,
			       VERITY_BLOCK, (long long)st.st_size);
	verity->data_blocks = (uint64_t)st.st_size / VERITY_BLOCK;
	return take_fd(&fd);
}

int verity_format(const char *root, const char *tree, struct verity *verity, struct err *err)
{
	_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
	_cleanup_close_ int from = open_root(root, verity, err);
	int r = from < 0 ? from : output_open(&output, tree, err);

	if (!r)
		r = write_tree(from, output.fd, verity, err);
	if (!r)
		r = output_commit(&output, err);
	return r < 0 ? err_wrap(err, r, "verity tree of %s", root) : 0;
}
