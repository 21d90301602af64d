/* One error contract: a function returns 0 or more, or a negative errno and one line of context.
 *
 * err_set starts the line, err_wrap puts what the caller was doing in front, and only the caller that gives up
 * prints it: "state: grow to sector 41943006: write backup table: Input/output error".
 */
#ifndef KEELSON_ERR_H
#define KEELSON_ERR_H

struct err {
	char text[1024]; /* NUL-terminated; cut at the end when longer */
};

/* Start the line. errnum is a positive errno; its text is not added, say it with %s or err_errno where it helps.
 * err may be NULL. Returns -errnum. */
int err_set(struct err *err, int errnum, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Start the line with the text of errno behind it: "open /dev/vda: No such file or directory". Returns -errno, and
 * -EIO where errno is 0. */
int err_errno(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Put what was being done in front of the line: "grow state: " + line. Returns r. */
int err_wrap(struct err *err, int r, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
