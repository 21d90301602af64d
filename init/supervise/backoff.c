/* How long a service waits before it is started again.
 *
 * Nothing after a healthy period; then 100 ms, doubled with each failure in a row, up to 30 s, each a quarter more or
 * less at random so that services which fail together do not start together.
 */
#include <sys/param.h>

#include "supervise/machine.h"

#define BACKOFF_FIRST_MS 100u
#define BACKOFF_MAX_MS 30000u
#define DOUBLED_MOST 16u /* far beyond the most */

uint32_t backoff_delay(unsigned failures, uint32_t random)
{
	uint32_t delay;

	if (failures <= 1)
		return 0;
	delay = MIN(BACKOFF_FIRST_MS << MIN(failures - 2, DOUBLED_MOST), BACKOFF_MAX_MS);
	return delay - delay / 4 + random % (delay / 2 + 1);
}
