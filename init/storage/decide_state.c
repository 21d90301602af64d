/* Decide between formatting, mounting, checking and refusing.
 *
 * A first MiB of zeroes is a partition that was never used, or that somebody wiped on purpose: a damaged ext4 still has
 * its group descriptors there. Copies of a superblock further behind are then of an earlier life of the disk.
 * Something there, and no superblock at all, is a format that was cut, unless the partition table says that state was
 * in use: then it is what damage left.
 */
#include "storage/inspect_state.h"

#include <string.h>

static enum state_action decide_ext4(const struct superblock *s)
{
	if (!strcmp(s->label, LABEL_FORMATTING))
		return STATE_FORMAT_AGAIN;
	return s->clean && !s->error ? STATE_MOUNT : STATE_CHECK;
}

enum state_action decide_state(const struct state_content *content)
{
	if (content->primary.present)
		return decide_ext4(&content->primary);
	if (content->found[0])
		return strncmp(content->found, "ext", 3) ? STATE_REFUSE : STATE_CHECK;
	if (content->wiped)
		return STATE_FORMAT;
	if (content->backup.present) /* e2fsck takes the copy */
		return !strcmp(content->backup.label, LABEL_FORMATTING) ? STATE_FORMAT_AGAIN : STATE_CHECK;
	return content->in_use ? STATE_REFUSE : STATE_FORMAT;
}
