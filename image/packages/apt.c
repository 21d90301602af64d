/* Resolve and download by apt.
 *
 * apt starts from an empty system in which nothing but the packages of the description's `provided` is installed, so
 * that a node's set does not depend on the machine that builds it. Resolving runs with an empty folder of archives,
 * since --print-uris leaves out what is there already.
 */
#include "packages/apt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/process.h"
#include "progress.h"

#define RESOLVE_TIMEOUT_MS 120000
#define DOWNLOAD_TIMEOUT_MS 3600000
#define URIS_MAX ((size_t)4 << 20)

static int beside_conf(const struct apt *apt, const char *name, char path[PATH_MAX], struct err *err)
{
	const char *slash = strrchr(apt->conf, '/');

	if (!slash || snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - apt->conf), apt->conf, name) >= PATH_MAX)
		return err_set(err, EINVAL, "apt: expected an absolute path of apt.conf, found \"%s\"", apt->conf);
	return 0;
}

int apt_open(struct apt *apt, struct err *err)
{
	_cleanup_(buf_free) struct buf text = {0};
	char partial[PATH_MAX];
	int r = beside_conf(apt, "archives", apt->archives, err);

	if (!r && access(apt->conf, R_OK) < 0)
		r = err_errno(err, "apt: %s", apt->conf);
	snprintf(apt->status, sizeof apt->status, "%s/apt-status", apt->work);
	snprintf(partial, sizeof partial, "%s/no-archives/partial", apt->work);
	if (!r)
		r = make_directories(partial, 0755, err);
	if (!r && apt_render_status(apt->provided, &text) < 0)
		r = err_set(err, ENOMEM, "apt: no memory");
	if (!r)
		r = file_write_atomic(apt->status, buf_string(&text), text.len, 0644, err);
	if (!r && (setenv("APT_CONFIG", apt->conf, 1) < 0 || setenv("LC_ALL", "C", 1) < 0))
		r = err_errno(err, "apt: environment");
	return r;
}

/* apt-get install with OPTION, for all NAMES. */
static int apt_get(const struct apt *apt, const char *option, const char *archives, const struct strings *names,
		   struct buf *output, int timeout_ms, struct err *err)
{
	char status[PATH_MAX + 32], cache[PATH_MAX + 32];
	const char *fixed[] = {"apt-get",
			       "-q",
			       "-q",
			       "-y",
			       "--no-install-recommends",
			       "-o",
			       "Acquire::ForceHash=SHA256",
			       "-o",
			       status,
			       "-o",
			       cache,
			       option,
			       "install",
			       "--"};
	size_t count = sizeof fixed / sizeof *fixed;
	_cleanup_free_ const char **argv = calloc(count + names->count + 1, sizeof *argv);
	static char act[] = "packages";
	struct process process = {.output = output,
				  .timeout_ms = timeout_ms,
				  .tick_ms = PROGRESS_TICK_MS,
				  .tick = progress_tick,
				  .tick_arg = act};

	if (!argv)
		return err_set(err, ENOMEM, "no memory");
	snprintf(status, sizeof status, "Dir::State::status=%s", apt->status);
	snprintf(cache, sizeof cache, "Dir::Cache::archives=%s", archives);
	memcpy(argv, fixed, sizeof fixed);
	for (size_t i = 0; i < names->count; i++)
		argv[count + i] = names->items[i];
	process.argv = argv;
	return process_run_ok(&process, err);
}

int apt_resolve(const struct apt *apt, const struct strings *names, struct package_set *set, struct err *err)
{
	_cleanup_(buf_free) struct buf uris = {.max = URIS_MAX};
	char none[PATH_MAX];
	int r;

	snprintf(none, sizeof none, "%s/no-archives", apt->work);
	r = apt_get(apt, "--print-uris", none, names, &uris, RESOLVE_TIMEOUT_MS, err);
	if (!r)
		r = apt_parse_uris(buf_string(&uris), set, err);
	return r < 0 ? err_wrap(err, r, "resolve packages") : 0;
}

static bool is_there(const struct apt *apt, const struct package *package)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof path, "%s/%s", apt->archives, package->file);
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == package->bytes;
}

/* One download at a time, together with apt_root.sh, which takes the same lock. */
static int fetch(const struct apt *apt, const struct strings *names, struct err *err)
{
	_cleanup_(buf_free) struct buf said = {.max = URIS_MAX};
	_cleanup_close_ int lock = -1;
	char path[PATH_MAX];
	int r = beside_conf(apt, "lock", path, err);

	if (r < 0)
		return r;
	lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock < 0 || flock(lock, LOCK_EX) < 0)
		return err_errno(err, "lock %s", path);
	return apt_get(apt, "--download-only", apt->archives, names, &said, DOWNLOAD_TIMEOUT_MS, err);
}

int apt_download(const struct apt *apt, const struct strings *names, const struct package_set *set, size_t *downloaded,
		 struct err *err)
{
	size_t missing = 0;

	for (size_t i = 0; i < set->count; i++)
		missing += !is_there(apt, &set->items[i]);
	if (downloaded)
		*downloaded = missing;
	if (missing) {
		int r = fetch(apt, names, err);

		if (r < 0)
			return err_wrap(err, r, "download packages");
	}
	for (size_t i = 0; i < set->count; i++) {
		const struct package *package = &set->items[i];
		char path[PATH_MAX], found[DIGEST_TEXT];
		int r;

		snprintf(path, sizeof path, "%s/%s", apt->archives, package->file);
		r = digest_file(path, found, err);
		if (r < 0)
			return err_wrap(err, r, "package %s", package->name);
		if (strcmp(found, package->sha256))
			return err_set(err, EBADMSG, "package %s: %s: expected SHA-256 %s, found %s: remove the file",
				       package->name, path, package->sha256, found);
	}
	return 0;
}
