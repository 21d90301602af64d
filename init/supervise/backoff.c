/* How long a service waits before it is started again.
 *
 * Nothing after a healthy period; then 100 ms, doubled with each failure in a row, up to 30 s, each a quarter more or
 * less at random so that services which fail together do not start together.
 */
#include "supervise/machine.h"

#define BACKOFF_FIRST_MS 100u
#define BACKOFF_MAX_MS 30000u

uint32_t backoff_delay(unsigned failures, uint32_t random)
{
	uint32_t delay = BACKOFF_FIRST_MS;

	if (failures <= 1)
		return 0;
	for (unsigned i = 2; i < failures && delay < BACKOFF_MAX_MS; i++)
		delay *= 2;
	if (delay > BACKOFF_MAX_MS)
		delay = BACKOFF_MAX_MS;
	return delay - delay / 4 + random % (delay / 2 + 1);
}
