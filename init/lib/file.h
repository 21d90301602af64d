/* Whole files: read with a bound, replaced atomically, directories made on the way. */
#ifndef KEELSON_FILE_H
#define KEELSON_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "lib/buf.h"
#include "lib/err.h"

/* Read a file, or what a pseudo file gives, into buf (appended). Returns 0, -EFBIG beyond max bytes, or -errno. */
int file_read(const char *path, size_t max, struct buf *buf, struct err *err);

/* The same from an open descriptor, from where it stands. */
int file_read_fd(int fd, size_t max, struct buf *buf, struct err *err);

/* Replace a file: written beside it, synced, renamed over it, its directory synced. A reader sees the old or the new
 * content, also after a power cut. Missing parent directories are made (0755). */
int file_write_atomic(const char *path, const void *data, size_t len, mode_t mode, struct err *err);

/* Write into an existing file such as one of sysfs or procfs: one open, one write. */
int file_poke(const char *path, const char *value, struct err *err);

/* Make a directory and its parents. An existing directory is no error and keeps its mode. */
int make_directories(const char *path, mode_t mode, struct err *err);

/* Write everything, also when write(2) takes less. Returns 0 or -errno. */
int write_all(int fd, const void *data, size_t len);

#endif
