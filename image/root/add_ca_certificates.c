/* /etc/ssl/certs, as update-ca-certificates and `openssl rehash` make it, with one difference: certificates are files
 * there and not links to /usr/share/ca-certificates, so that a pod that mounts /etc/ssl/certs alone has them.
 */
#include <errno.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "root/ca_certificates.h"
#include "root/parts.h"

#define CERTIFICATES "/usr/share/ca-certificates/"
#define CERTIFICATE_MAX 65536
#define SAME_HASH_MAX 10

int ca_hash(const char *pem, size_t len, char hash[CA_HASH_TEXT], struct err *err)
{
	BIO *bio = len < CERTIFICATE_MAX ? BIO_new_mem_buf(pem, (int)len) : NULL;
	X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
	unsigned long value = certificate ? X509_subject_name_hash(certificate) : 0;

	X509_free(certificate);
	BIO_free(bio);
	if (!certificate)
		return err_set(err, EBADMSG, "expected a certificate in PEM, found something else");
	snprintf(hash, CA_HASH_TEXT, "%08lx", value & 0xffffffffUL);
	return 0;
}

int ca_file_name(const char *path, char *name, size_t size)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	if (len > 4 && !strcmp(base + len - 4, ".crt"))
		len -= 4;
	if (len + 5 > size)
		return -ENAMETOOLONG;
	for (size_t i = 0; i < len; i++)
		name[i] = base[i] == ' ' || base[i] == ',' ? '_' : base[i] == '(' || base[i] == ')' ? '=' : base[i];
	memcpy(name + len, ".pem", 5);
	return 0;
}

static int add_hash_link(struct tree *tree, const char *hash, const char *name, struct err *err)
{
	char path[64];

	for (int n = 0; n < SAME_HASH_MAX; n++) {
		snprintf(path, sizeof path, "/etc/ssl/certs/%s.%d", hash, n);
		if (!tree_find(tree, path))
			return tree_add_link(tree, path, name, err);
	}
	return err_set(err, EEXIST, "%s: expected at most %d certificates of one name", path, SAME_HASH_MAX);
}

static int add_certificate(struct tree *tree, const struct node *node, struct buf *bundle, struct err *err)
{
	_cleanup_free_ char *pem = NULL;
	char hash[CA_HASH_TEXT], name[256], path[300];
	size_t len = node->size;
	int r = node_content(node, CERTIFICATE_MAX, &pem, err);

	if (!r && ca_file_name(node->path, name, sizeof name) < 0)
		r = err_set(err, ENAMETOOLONG, "%s: name too long", node->path);
	if (!r)
		r = ca_hash(pem, len, hash, err);
	if (r < 0)
		return err_wrap(err, r, "%s", node->path);
	snprintf(path, sizeof path, "/etc/ssl/certs/%s", name);
	r = tree_add_bytes(tree, path, 0644, pem, len, err);
	if (!r)
		r = add_hash_link(tree, hash, name, err);
	if (!r && (buf_add(bundle, pem, len) < 0 || (len && pem[len - 1] != '\n' && buf_add_string(bundle, "\n") < 0)))
		r = err_set(err, ENOMEM, "no memory");
	return r;
}

int add_ca_certificates(struct tree *tree, size_t *count, struct err *err)
{
	_cleanup_(buf_free) struct buf bundle = {0};
	_cleanup_(strings_free) struct strings paths = {0};

	/* Adding to the tree moves its nodes, so the paths are gathered first. */
	for (size_t i = tree_lower_bound(tree, CERTIFICATES); i < tree->count; i++) {
		const struct node *node = tree->nodes[i];

		if (strncmp(node->path, CERTIFICATES, sizeof CERTIFICATES - 1))
			break;
		if (node->type == NODE_FILE && strings_add(&paths, node->path) < 0)
			return err_set(err, ENOMEM, "no memory");
	}
	for (size_t i = 0; i < paths.count; i++) {
		int r = add_certificate(tree, tree_find(tree, paths.items[i]), &bundle, err);

		if (r < 0)
			return err_wrap(err, r, "CA certificates");
	}
	*count = paths.count;
	if (!paths.count)
		return err_set(err, ENOENT, "CA certificates: expected some below " CERTIFICATES ", found none");
	return tree_add_bytes(tree, "/etc/ssl/certs/ca-certificates.crt", 0644, bundle.data, bundle.len, err);
}
