/* What a preloaded archive holds.
 *
 * Only the index is read: a tar's other entries are skipped by seeking. Its digest stands for the content, since it
 * names the configuration and every layer by digest.
 * Sources: "Docker Image Specification v1.2" (docker save), OCI "Image Layout Specification".
 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/images.h"
#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/hex.h"

#define INDEX_MAX ((size_t)1 << 20)
#define BLOCK 65536

void image_archive_free(struct image_archive *archive)
{
	for (size_t i = 0; i < archive->names.count; i++)
		free(archive->names.items[i]);
	free(archive->names.items);
	memset(archive, 0, sizeof *archive);
}

/* Names become arguments of ctr: nothing that could be taken for an option, nothing that does not print. */
static int add_name(struct string_list *names, const char *name, struct err *err)
{
	char full[512], **items;

	for (const char *p = name; *p; p++)
		if (*p <= ' ' || *p > '~')
			return err_set(err, EINVAL, "expected an image's name, found \"%.80s\"", name);
	if (!*name || *name == '-' || strlen(name) > 400)
		return err_set(err, EINVAL, "expected an image's name, found \"%.80s\"", name);
	image_full_name(name, full, sizeof full);
	items = realloc(names->items, (names->count + 1) * sizeof *items);
	if (!items)
		return err_set(err, ENOMEM, "image names: out of memory");
	names->items = items;
	items[names->count] = strdup(full);
	if (!items[names->count])
		return err_set(err, ENOMEM, "image names: out of memory");
	names->count++;
	return 0;
}

void image_full_name(const char *name, char *text, size_t size)
{
	const char *slash = strchr(name, '/'), *last = strrchr(name, '/'), *tag = strchr(last ? last : name, ':');
	size_t first = slash ? (size_t)(slash - name) : 0;
	bool host = slash && (memchr(name, '.', first) || memchr(name, ':', first) || !strncmp(name, "localhost/", 10));
	const char *prefix = host ? "" : (slash ? "docker.io/" : "docker.io/library/");

	snprintf(text, size, "%s%s%s", prefix, name, tag || strchr(name, '@') ? "" : ":latest");
}

int image_names_of_manifest(const char *json, struct string_list *names, struct err *err)
{
	_cleanup_(json_decrefp) json_t *images = json_loads(json, 0, NULL);
	json_t *image, *tag;
	size_t i, j;
	int r = 0;

	if (!json_is_array(images))
		return err_set(err, EINVAL, "manifest.json: expected an array");
	json_array_foreach (images, i, image) {
		json_array_foreach (json_object_get(image, "RepoTags"), j, tag) {
			if (!r)
				r = add_name(names, json_is_string(tag) ? json_string_value(tag) : "", err);
		}
	}
	return r;
}

int image_names_of_index(const char *json, struct string_list *names, struct err *err)
{
	_cleanup_(json_decrefp) json_t *index = json_loads(json, 0, NULL);
	json_t *manifest;
	size_t i;
	int r = 0;

	if (!json_is_object(index))
		return err_set(err, EINVAL, "index.json: expected an object");
	json_array_foreach (json_object_get(index, "manifests"), i, manifest) {
		const char *name = json_string_value(
			json_object_get(json_object_get(manifest, "annotations"), "io.containerd.image.name"));

		if (!r && name)
			r = add_name(names, name, err);
	}
	return r;
}

static int digest(const struct buf *text, char id[65], struct err *err)
{
	unsigned char bytes[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	if (EVP_Digest(text->data, text->len, bytes, &len, EVP_sha256(), NULL) != 1 || len != 32)
		return err_set(err, EIO, "SHA-256: refused by OpenSSL");
	hex_text(bytes, len, id);
	return 0;
}

static int read_entry(struct archive *tar, struct buf *text, struct err *err)
{
	char chunk[4096];
	la_ssize_t n;

	text->max = INDEX_MAX;
	while ((n = archive_read_data(tar, chunk, sizeof chunk)) > 0)
		if (buf_add(text, chunk, (size_t)n) < 0)
			return err_set(err, EFBIG, "index: expected at most %zu bytes, found more", INDEX_MAX);
	return n < 0 ? err_set(err, EIO, "%s", archive_error_string(tar)) : buf_add(text, "", 0);
}

/* Find manifest.json, which archives of both kinds may have, else index.json. */
static int read_index(struct archive *tar, struct buf *text, bool *is_manifest, struct err *err)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(tar, &entry)) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);
		bool manifest = name && !strcmp(name, "manifest.json");
		int r;

		if (!name || (!manifest && strcmp(name, "index.json")))
			continue;
		buf_free(text);
		*is_manifest = manifest;
		r = read_entry(tar, text, err);
		if (r < 0 || manifest)
			return r;
	}
	if (status != ARCHIVE_EOF)
		return err_set(err, EINVAL, "%s", archive_error_string(tar));
	return text->data ? 0 : err_set(err, EINVAL, "expected manifest.json or index.json in it, found neither");
}

int image_archive_read(const char *path, struct image_archive *archive, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	struct archive *tar = archive_read_new();
	bool is_manifest = false;
	int r;

	memset(archive, 0, sizeof *archive);
	if (!tar)
		return err_set(err, ENOMEM, "%s: out of memory", path);
	archive_read_support_format_tar(tar);
	archive_read_support_filter_gzip(tar);
	if (archive_read_open_filename(tar, path, BLOCK) != ARCHIVE_OK)
		r = err_set(err, EIO, "%s", archive_error_string(tar));
	else
		r = read_index(tar, &text, &is_manifest, err);
	archive_read_free(tar);
	if (!r)
		r = is_manifest ? image_names_of_manifest(text.data, &archive->names, err)
				: image_names_of_index(text.data, &archive->names, err);
	if (!r && !archive->names.count)
		r = err_set(err, EINVAL, "expected the image's name in it, found none");
	if (!r)
		r = digest(&text, archive->id, err);
	return r ? err_wrap(err, r, "%s", path) : 0;
}

bool image_is_listed(struct protobuf response, const char *name)
{
	struct protobuf_field image, field;

	/* ListImagesResponse: 1 images; Image: 2 repo_tags */
	while (protobuf_next(&response, &image) == 1)
		while (image.number == 1 && image.delimited && protobuf_next(&image.message, &field) == 1)
			if (field.number == 2 && protobuf_is(&field, name))
				return true;
	return false;
}
