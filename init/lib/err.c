/* The one line of context that errors carry upwards. */
#include "lib/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int errnum, const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		vsnprintf(err->text, sizeof err->text, format, args);
		va_end(args);
	}
	return -errnum;
}

int err_errno(struct err *err, const char *format, ...)
{
	int errnum = errno ? errno : EIO;
	va_list args;
	size_t used;

	if (!err)
		return -errnum;
	va_start(args, format);
	vsnprintf(err->text, sizeof err->text, format, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(errnum));
	return -errnum;
}

int err_wrap(struct err *err, int r, const char *format, ...)
{
	struct err front;
	va_list args;
	size_t used;

	if (!err)
		return r;
	va_start(args, format);
	vsnprintf(front.text, sizeof front.text, format, args);
	va_end(args);
	used = strlen(front.text);
	snprintf(front.text + used, sizeof front.text - used, ": %s", err->text);
	*err = front;
	return r;
}
