/* write_files of a document: planned as a whole first, then written, no link followed anywhere. */
#ifndef KEELSON_WRITE_FILES_H
#define KEELSON_WRITE_FILES_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

#include "lib/buf.h"
#include "lib/err.h"

struct planned_file {
	const char *path; /* of the document's values, which outlive the plan */
	char *data;
	size_t len;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	bool append, once; /* once: lies on state, so it is written once per instance */
	long line, column;
};

struct file_plan {
	struct planned_file *files; /* in the order in which they are written */
	size_t count;
};

/* Everything that can be known to be wrong is found here: users, groups, directories where a file is to be. root is
 * put in front of every path; "" on a node. Returns 0 or -EINVAL with one line per problem in `problems`. */
int plan_files(const char *root, const json_t *values, struct file_plan *plan, struct buf *problems);

/* Write what is due. again: the files of the instance are there already. Returns how many could not be written (each
 * has a line in `problems`); *written counts the others. */
size_t write_planned_files(const char *root, const struct file_plan *plan, bool again, size_t *written,
			   struct buf *problems);

void file_plan_free(struct file_plan *plan);

/* One file below root: its directories made (0755), replaced or added to in one step. sync: it lies on a disk. */
int write_below(const char *root, const struct planned_file *file, struct err *err);

#endif
