/* mkimage: the builder. Debian packages, our programs and a Kubernetes release in, images out. Needs no root.
 *
 *   mkimage build    makes out/keelson-VERSION-amd64.{raw,qcow2}
 *   mkimage lock     accepts the packages that the archive has now
 *   mkimage oci      makes one archive of a container image
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "arguments.h"
#include "build.h"
#include "lib/cleanup.h"
#include "lib/file.h"
#include "oci/images.h"
#include "progress.h"
#include "root/kubernetes.h"

#define ARCHIVE_HELP "kubernetes-server-linux-amd64.tar.gz"

struct build_step {
	build_act *act;
	bool for_lock; /* mkimage lock does it too */
};

static const struct build_step steps[] = {
	{build_start, true}, {build_resolve, true}, {build_lock, true},	 {build_download, false}, {build_merge, false},
	{build_fill, false}, {build_root, false},   {build_boot, false}, {build_disk, false},	  {build_sizes, false},
};

/* Times of files: SOURCE_DATE_EPOCH (reproducible-builds.org), else now. */
static int take_time(int64_t *seconds, struct err *err)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	char *end;

	*seconds = (int64_t)time(NULL);
	if (!text || !*text)
		return 0;
	errno = 0;
	*seconds = strtoll(text, &end, 10);
	if (errno || *end || *seconds < 0)
		return err_set(err, EINVAL, "SOURCE_DATE_EPOCH: expected seconds since 1970, found \"%s\"", text);
	return 0;
}

static int take_cache(char cache[PATH_MAX], struct err *err)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int len = xdg && *xdg ? snprintf(cache, PATH_MAX, "%s/keelson", xdg)
			      : snprintf(cache, PATH_MAX, "%s/.cache/keelson", home ? home : "");

	if (len >= PATH_MAX - 128 || cache[0] != '/')
		return err_set(err, EINVAL, "expected HOME or XDG_CACHE_HOME to be an absolute path");
	return make_directories(cache, 0755, err);
}

static int run_steps(struct build *build, bool lock, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < sizeof steps / sizeof *steps && !r; i++)
		if (lock ? steps[i].for_lock : steps[i].act != build_lock)
			r = steps[i].act(build, err);
	return r;
}

static int finish(const char *command, int r, const struct err *err)
{
	if (r < 0)
		fprintf(stderr, "mkimage %s: %s\n", command, err->text);
	return r < 0 ? 1 : 0;
}

/* Prints the help where it is asked for. Returns 0 to go on, 1 when there is nothing more to do, or -EINVAL. */
static int read_options(int argc, char **argv, const char *what, const struct option_row *rows, struct err *err)
{
	if (argc > 1 && !strcmp(argv[1], "--help")) {
		printf("usage: mkimage %s OPTIONS\n\n%s\n\n", argv[0], what);
		arguments_help(stdout, rows);
		return 1;
	}
	return arguments_parse(argc, argv, rows, err);
}

static int build_or_lock(int argc, char **argv, bool lock, const char *what)
{
	static struct build build = {.descriptions = "configs/images",
				     .services = "configs/services",
				     .kernel = "kernel",
				     .out = "out",
				     .profile = "default",
				     .version = KEELSON_VERSION,
				     .programs = "build"};
	const struct option_row rows[] = {
		{"--profile", "NAME", "description below --descriptions; default: default", false, &build.profile, NULL,
		 NULL},
		{"--version", "VERSION", "of the image", false, &build.version, NULL, NULL},
		{"--programs", "FOLDER", "init, keelson and pause; default: build", false, &build.programs, NULL, NULL},
		{"--kubernetes", "ARCHIVE", ARCHIVE_HELP, !lock, &build.kubernetes, NULL, NULL},
		{"--busybox", "FILE", "BusyBox, static", !lock, &build.busybox, NULL, NULL},
		{"--apt-conf", "FILE", "apt.conf of a private root", true, &build.apt_conf, NULL, NULL},
		{"--image", "[NAME=]FILE", "container images to preload, docker or OCI archive; many", false, NULL,
		 &build.images, NULL},
		{"--out", "FOLDER", "where images go; default: out", false, &build.out, NULL, NULL},
		{"--descriptions", "FOLDER", "default: configs/images", false, &build.descriptions, NULL, NULL},
		{"--services", "FOLDER", "default: configs/services", false, &build.services, NULL, NULL},
		{"--kernel", "FOLDER", "default: kernel", false, &build.kernel, NULL, NULL},
		{"--locked", NULL, "refuse packages that differ from the lock file", false, NULL, NULL, &build.locked},
		{NULL, NULL, NULL, false, NULL, NULL, NULL},
	};
	char cache[PATH_MAX];
	struct err err = {0};
	int r = read_options(argc, argv, what, rows, &err);

	if (r == 1)
		return 0;
	if (r < 0) {
		fprintf(stderr, "mkimage %s: %s\n", argv[0], err.text);
		return 2;
	}
	r = take_time(&build.time, &err);
	if (!r)
		r = take_cache(cache, &err);
	build.cache = cache;
	if (!r)
		r = run_steps(&build, lock, &err);
	build_free(&build);
	return finish(argv[0], r, &err);
}

static int run_build(int argc, char **argv)
{
	return build_or_lock(argc, argv, false, "Make the images of a profile.");
}

static int run_lock(int argc, char **argv)
{
	return build_or_lock(argc, argv, true, "Accept the packages that the archive has now.");
}

/* agnhost comes from an archive of Kubernetes' tests. */
static int find_agnhost(const char *archive, char path[PATH_MAX], struct err *err)
{
	static const char *const names[] = {"agnhost"};
	char cache[PATH_MAX], directory[PATH_MAX];
	int r = take_cache(cache, err);

	if (!r)
		r = kubernetes_programs(archive, "kubernetes/test/bin", names, 1, cache, directory, err);
	if (!r && snprintf(path, PATH_MAX, "%s/agnhost", directory) >= PATH_MAX)
		r = err_set(err, ENAMETOOLONG, "%s", directory);
	return r;
}

static int run_oci(int argc, char **argv)
{
	_cleanup_(strings_free) struct strings tags = {0};
	struct image_wish wish = {.tags = &tags};
	const char *archive = NULL;
	const struct option_row rows[] = {
		{"--kind", "KIND", "base, busybox or agnhost", true, &wish.kind, NULL, NULL},
		{"--program", "FILE", "pause, BusyBox or agnhost", false, &wish.program, NULL, NULL},
		{"--archive", "FILE", "kubernetes-test-linux-amd64.tar.gz, to take agnhost from", false, &archive, NULL,
		 NULL},
		{"--busybox", "FILE", "BusyBox beside agnhost", false, &wish.busybox, NULL, NULL},
		{"--curl", "FILE", "curl beside agnhost, static", false, &wish.curl, NULL, NULL},
		{"--tag", "TAG", "docker.io/library/busybox:latest; many", true, NULL, &tags, NULL},
		{"--out", "FILE", "the archive to write", true, &wish.output, NULL, NULL},
		{NULL, NULL, NULL, false, NULL, NULL, NULL},
	};
	char agnhost[PATH_MAX];
	struct err err = {0};
	int r = read_options(argc, argv, "Make one archive of a container image.", rows, &err);

	if (r == 1)
		return 0;
	if (!r && !wish.program == !archive)
		r = err_set(&err, EINVAL, "expected one of --program and --archive");
	if (r < 0) {
		fprintf(stderr, "mkimage %s: %s\n", argv[0], err.text);
		return 2;
	}
	if (!r && archive) {
		r = find_agnhost(archive, agnhost, &err);
		wish.program = agnhost;
	}
	if (!r)
		r = take_time(&wish.time, &err);
	if (!r)
		r = write_image(&wish, &err);
	if (!r)
		progress("oci", "%s", wish.output);
	return finish(argv[0], r, &err);
}

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct command commands[] = {
	{"build", run_build, "make the images of a profile"},
	{"lock", run_lock, "accept the packages that the archive has now"},
	{"oci", run_oci, "make one archive of a container image"},
};

static void usage(FILE *to)
{
	fputs("usage: mkimage COMMAND OPTIONS      (mkimage COMMAND --help lists them)\n\n", to);
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].help);
}

int main(int argc, char **argv)
{
	umask(022); /* modes of staged directories are those of the image, whoever builds it */
	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))) {
		usage(stdout);
		return 0;
	}
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	usage(stderr);
	return 2;
}
