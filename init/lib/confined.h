/* Read untrusted bytes where a mistake costs nothing: in a child without rights, bounded in time and memory.
 *
 * The child first opens what is to be read (prepare, with the caller's rights), then gives up user, groups,
 * capabilities and all system calls but reading, writing and memory, and only then looks at the bytes (work). A crash,
 * a hang or an attack in a parser ends with the child; what comes back is a bounded answer through a pipe.
 */
#ifndef KEELSON_CONFINED_H
#define KEELSON_CONFINED_H

#include <stddef.h>

#include "lib/buf.h"
#include "lib/err.h"

struct confined {
	int (*prepare)(void *arg, struct err *err); /* NULL: nothing to open */
	int (*work)(void *arg, struct buf *answer, struct err *err);
	void *arg;	   /* the child has a copy: what it changes there, the caller does not see */
	int timeout_ms;	   /* killed after this */
	size_t answer_max; /* bytes */
};

/* Returns what prepare or work returned, with its err, and the answer appended; -ETIMEDOUT when it took too long;
 * -EPROTO when it died (err says by which signal); -EFBIG when the answer is too long; other -errno when there was no
 * child. */
int confined_run(const struct confined *confined, struct buf *answer, struct err *err);

#endif
