/* When is the network good enough for the boot to go on?
 *
 * An address and a default route, at once. Without a cable there is nothing to wait for; with one, 10 s. Then a node
 * that can work alone does so; another waits on, since it has nobody to talk to.
 */
#include "network/readiness.h"

#define NO_LINK_MS 2000 /* a driver may still be finding its card */

static int64_t limit(const struct readiness_view *view)
{
	if (view->carriers)
		return READY_AT_MOST_MS;
	return view->links ? view->grace_ms : NO_LINK_MS;
}

enum readiness judge_readiness(const struct readiness_view *view, int64_t *next_ms)
{
	*next_ms = -1;
	if (view->address && (view->route || !view->unanswered))
		return NETWORK_IS_READY;
	if (view->elapsed_ms < limit(view)) {
		*next_ms = limit(view);
		return NETWORK_WAITS;
	}
	if (view->address)
		return NETWORK_IS_READY;
	return view->alone ? NETWORK_FALLS_BACK : NETWORK_WAITS;
}
