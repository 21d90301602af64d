/* The EFI system partition: FAT32 with systemd-boot and one UKI.
 *
 * mkfs.vfat and mtools need neither root nor a mount. Times are given, the serial number comes from the version; files
 * are put in one at a time and in one order, so that clusters and entries fall the same way.
 *
 * A UKI of a fresh image has no counter in its name: there is nothing to fall back to. systemd-boot lies at the
 * removable media's path as well, because firmware forgets boot entries.
 */
#include "disk/write_esp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "lib/output_file.h"
#include "lib/process.h"

#define TIMEOUT_MS (5 * 60 * 1000)
#define FAT_START 315532800		/* 1980-01-01, the first day FAT knows */
#define FAT32_MIN ((uint64_t)264 << 20) /* 65525 clusters of 4 KiB: with fewer, firmware reads it as FAT16 */
#define FILE_BYTES_MAX ((size_t)1 << 30)
#define OVERHEAD ((uint64_t)4 << 20) /* both FATs, directories, and room for small files */

/* Only keys that systemd 252 knows. No random seed: some firmware corrupts the file system when it is written. */
static const char loader_conf[] = "timeout 0\n"
				  "editor no\n"
				  "auto-entries no\n"
				  "auto-firmware no\n"
				  "console-mode keep\n"
				  "random-seed-mode off\n";

struct file {
	const char *directory, *name; /* on the ESP */
	const char *path;	      /* copied from there; NULL: text */
	const char *text;
};

/* parent, name */
static const char *const directories[][2] = {
	{"::/", "EFI"},	     {"::/EFI", "BOOT"}, {"::/EFI", "systemd"},
	{"::/EFI", "Linux"}, {"::/", "loader"},	 {"::/loader", "entries"},
};

/* FNV-1a: any number that depends on the version does. */
static uint32_t serial_of(const char *version)
{
	uint32_t hash = 2166136261u;

	for (; *version; version++)
		hash = (hash ^ (uint8_t)*version) * 16777619u;
	return hash;
}

static int size_of(const char *path, uint64_t *bytes, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_errno(err, "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return err_set(err, EINVAL, "%s: expected a file with content, found none", path);
	*bytes = (uint64_t)st.st_size;
	return 0;
}

static int check_sizes(const struct esp *esp, struct err *err)
{
	uint64_t loader, uki, need;
	int r = size_of(esp->systemd_boot, &loader, err);

	if (!r)
		r = size_of(esp->uki, &uki, err);
	if (r < 0)
		return r;
	need = 2 * loader + uki + OVERHEAD;
	if (esp->bytes < FAT32_MIN)
		return err_set(err, EINVAL, "expected at least %" PRIu64 " bytes for FAT32, found %" PRIu64, FAT32_MIN,
			       esp->bytes);
	if (need > esp->bytes)
		return err_set(err, ENOSPC,
			       "%s of %" PRIu64 " bytes and the loader need %" PRIu64
			       " bytes, which is larger than the partition of %" PRIu64,
			       esp->uki, uki, need, esp->bytes);
	return 0;
}

static int run(const char *const *argv, const struct esp *esp, struct err *err)
{
	char epoch[40], path[PATH_MAX];
	const char *env[] = {path, epoch, "TZ=UTC", "LC_ALL=C.UTF-8", "MTOOLS_SKIP_CHECK=1", "MTOOLSRC=/dev/null",
			     NULL};
	const char *host_path = getenv("PATH");
	_cleanup_(buf_free) struct buf said = {0}; /* not shown: errors come on standard error */
	struct process process = {.argv = argv, .env = env, .output = &said, .timeout_ms = TIMEOUT_MS};

	snprintf(path, sizeof path, "PATH=%s:/usr/sbin:/sbin", host_path ? host_path : "/usr/bin:/bin");
	snprintf(epoch, sizeof epoch, "SOURCE_DATE_EPOCH=%" PRId64, esp->time);
	return process_run_ok(&process, err);
}

static int make_file_system(const struct esp *esp, const char *image, struct err *err)
{
	char serial[16];
	const char *argv[] = {"mkfs.vfat", "--invariant", "-F",	 "32", "-S",   "512", "-s",
			      "8",	   "-n",	  "ESP", "-i", serial, image, NULL};

	snprintf(serial, sizeof serial, "%08" PRIx32, serial_of(esp->version));
	return run(argv, esp, err);
}

static int set_time(const struct esp *esp, const char *path, struct err *err)
{
	const struct timespec times[2] = {{.tv_sec = esp->time}, {.tv_sec = esp->time}};

	return utimensat(AT_FDCWD, path, times, 0) < 0 ? err_errno(err, "set the time of %s", path) : 0;
}

/* mtools takes times from what it copies (-m), so everything passes through a staging directory, one at a time. */
static int put_directory(const struct esp *esp, const char *image, const char *stage, const char *const where[2],
			 struct err *err)
{
	char path[PATH_MAX];
	const char *argv[] = {"mcopy", "-i", image, "-s", "-m", path, where[0], NULL};
	int r;

	snprintf(path, sizeof path, "%s/%s", stage, where[1]);
	if (mkdir(path, 0755) < 0)
		return err_errno(err, "make directory %s", path);
	r = set_time(esp, path, err);
	if (!r)
		r = run(argv, esp, err);
	rmdir(path);
	return r;
}

static int stage_file(const struct file *file, const char *path, struct err *err)
{
	_cleanup_(buf_free) struct buf content = {.max = FILE_BYTES_MAX};
	_cleanup_close_ int fd = -1;
	int r = file->path ? file_read(file->path, FILE_BYTES_MAX, &content, err)
			   : buf_add_string(&content, file->text);

	if (r < 0)
		return r;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return err_errno(err, "create %s", path);
	r = write_all(fd, content.data, content.len);
	return r < 0 ? err_set(err, -r, "write %s: %s", path, strerror(-r)) : 0;
}

static int put_file(const struct esp *esp, const char *image, const char *stage, const struct file *file,
		    struct err *err)
{
	char path[PATH_MAX];
	const char *argv[] = {"mcopy", "-i", image, "-m", path, file->directory, NULL};
	int r;

	snprintf(path, sizeof path, "%s/%s", stage, file->name);
	r = stage_file(file, path, err);
	if (!r)
		r = set_time(esp, path, err);
	if (!r)
		r = run(argv, esp, err);
	unlink(path);
	return r < 0 ? err_wrap(err, r, "%s/%s", file->directory, file->name) : 0;
}

static int fill(const struct esp *esp, const char *image, const char *stage, struct err *err)
{
	char uki[300];
	const struct file files[] = {
		{"::/EFI/BOOT", "BOOTX64.EFI", esp->systemd_boot, NULL},
		{"::/EFI/systemd", "systemd-bootx64.efi", esp->systemd_boot, NULL},
		{"::/loader", "loader.conf", NULL, loader_conf},
		{"::/loader", "entries.srel", NULL, "type1\n"},
		{"::/EFI/Linux", uki, esp->uki, NULL},
	};
	int r = 0;

	snprintf(uki, sizeof uki, "keelson_%s.efi", esp->version);
	for (size_t i = 0; !r && i < sizeof directories / sizeof *directories; i++)
		r = put_directory(esp, image, stage, directories[i], err);
	for (size_t i = 0; !r && i < sizeof files / sizeof *files; i++)
		r = put_file(esp, image, stage, &files[i], err);
	return r;
}

/* Its name is always the same, so that what a killed build left there is used up by the next. */
static int make_stage(const char *stage, struct err *err)
{
	DIR *dir;

	if (!mkdir(stage, 0755))
		return 0;
	dir = errno == EEXIST ? opendir(stage) : NULL;
	if (!dir)
		return err_errno(err, "make staging directory %s", stage);
	for (struct dirent *entry; (entry = readdir(dir));)
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    unlinkat(dirfd(dir), entry->d_name, 0) < 0)
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	closedir(dir);
	return 0;
}

static int make(const struct esp *esp, struct output_file *output, struct err *err)
{
	char stage[PATH_MAX];
	int r;

	if (ftruncate(output->fd, (off_t)esp->bytes) < 0)
		return err_errno(err, "make room for %" PRIu64 " bytes", esp->bytes);
	if ((size_t)snprintf(stage, sizeof stage, "%s.files", output->beside) >= sizeof stage)
		return err_set(err, ENAMETOOLONG, "staging directory beside %s: name too long", output->path);
	r = make_stage(stage, err);
	if (r < 0)
		return r;
	r = make_file_system(esp, output->beside, err);
	if (!r)
		r = fill(esp, output->beside, stage, err);
	rmdir(stage);
	return r;
}

int write_esp(const struct esp *esp, struct err *err)
{
	_cleanup_(output_abandon) struct output_file output = OUTPUT_FILE_NONE;
	struct esp checked = *esp;
	int r = check_sizes(esp, err);

	if (checked.time < FAT_START)
		checked.time = FAT_START;
	if (!r)
		r = output_open(&output, esp->output, err);
	if (!r)
		r = make(&checked, &output, err);
	if (!r)
		r = output_commit(&output, err);
	return r < 0 ? err_wrap(err, r, "EFI system partition") : 0;
}
