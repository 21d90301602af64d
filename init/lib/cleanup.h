/* Free and close at the end of a scope, by the compiler's cleanup attribute. */
#ifndef KEELSON_CLEANUP_H
#define KEELSON_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(function) __attribute__((cleanup(function)))
#define _cleanup_free_ _cleanup_(freep)
#define _cleanup_close_ _cleanup_(closep)
#define _cleanup_fclose_ _cleanup_(fclosep)

static inline void freep(void *pointer)
{
	free(*(void **)pointer);
}

/* Keeps errno, and does not retry on EINTR: on Linux the descriptor is gone either way. */
static inline void closep(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void fclosep(FILE **file)
{
	if (*file)
		fclose(*file);
}

/* Hand a descriptor to the caller: the scope's cleanup then finds -1. */
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

/* Hand a pointer to the caller: the scope's cleanup then finds NULL. */
#define take_pointer(pointer)                                                                                          \
	({                                                                                                             \
		__typeof__(pointer) *_place = &(pointer);                                                              \
		__typeof__(pointer) _taken = *_place;                                                                  \
		*_place = NULL;                                                                                        \
		_taken;                                                                                                \
	})

#endif
