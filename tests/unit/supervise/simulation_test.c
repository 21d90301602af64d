#include "sim/simulator.h"

#include "unit/test.h"

static struct sim sim;

static uint64_t number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

/* SIM_SEED=N SIM_TRACE=1 replays one; SIM_RUNS=N makes more of them. */
static void invariants_hold_in_random_schedules(void **state)
{
	uint64_t seed = number("SIM_SEED", 0), runs = number("SIM_RUNS", 5000);
	bool trace = number("SIM_TRACE", 0);

	(void)state;
	if (seed) {
		if (!sim_run(&sim, seed, trace))
			fail_msg("%s", sim.failure);
		return;
	}
	for (seed = 1; seed <= runs; seed++)
		if (!sim_run(&sim, seed, false))
			fail_msg("%s (SIM_SEED=%llu SIM_TRACE=1 replays it)", sim.failure, (unsigned long long)seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invariants_hold_in_random_schedules),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
