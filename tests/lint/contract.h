/* What the error contract promises, said to clang's analyzer, which sees one file at a time: err_set and err_errno
 * return a negative number, err_wrap what it was given. Included before every file by `make lint`, by nothing else. */
#include <errno.h>

#include "lib/err.h"

/* Version 14 of it knows nothing about -errnum where errnum is not a constant: the result is what must be told. */
static inline int contract_negative(int errnum)
{
	int r = -errnum;

	if (r >= 0)
		__builtin_unreachable();
	return r;
}

#define err_set(err, errnum, ...) ((void)(err_set)(err, errnum, __VA_ARGS__), contract_negative(errnum))
#define err_errno(err, ...) ((void)(err_errno)(err, __VA_ARGS__), contract_negative(errno))
#define err_wrap(err, r, ...) ((err_wrap)(err, r, __VA_ARGS__), (r))
