/* Which disk is ours, decided from what was found on all of them.
 *
 * The root hash says which root, but a cloned disk beside ours holds the same one, and with it another `state`. Ours is
 * the disk with the partition that the boot loader came from. Where no loader names one (a kernel started directly),
 * or its partition is on another medium, a single candidate is taken and two are an error: never a guess.
 */
#include "boot/choose_root.h"

#include <errno.h>
#include <stdio.h>

static int both(const struct roots_found *found, bool with_esp, struct err *err)
{
	const struct root_candidate *two[2] = {NULL, NULL};
	size_t n = 0;

	for (size_t i = 0; i < found->count && n < 2; i++)
		if (found->candidates[i].holds_esp || !with_esp)
			two[n++] = &found->candidates[i];
	return err_set(err, ENOTUNIQ,
		       "expected one disk with this root%s, found /dev/%s and /dev/%s: detach one of them",
		       with_esp ? " and the loader's partition" : "", two[0]->disk, two[1]->disk);
}

int choose_root(const struct roots_found *found, const struct root_patience *patience, struct err *err)
{
	size_t holders = 0;
	int holder = 0;

	for (size_t i = 0; i < found->count; i++)
		if (found->candidates[i].holds_esp) {
			holders++;
			holder = (int)i;
		}
	if (!found->count)
		return -EAGAIN;
	if (found->esp_named && holders == 1)
		return holder;
	if (!patience->quiet || (found->esp_named && !holders && !found->esp_elsewhere && !patience->patient))
		return -EAGAIN;
	if (found->esp_named && holders) /* two or more */
		return both(found, true, err);
	return found->count == 1 ? 0 : both(found, false, err);
}

const char *slot_name(uint32_t partition, char text[24])
{
	if (partition == 3 || partition == 5)
		snprintf(text, 24, "slot %c", partition == 3 ? 'A' : 'B');
	else
		snprintf(text, 24, "partition %u", partition);
	return text;
}
