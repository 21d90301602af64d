"""Change 100 conditions, one at a time, and count how many of the changes the unit tests notice.

usage: test_mutants.py [list]    SEED=N chooses others, COUNT=N as many, JOBS=N at a time; list: only print those chosen
"""

import concurrent.futures
import os
import random
import sys
import time

from build import PROJECT, all_mutants
from check_machinery import check_machinery
from trial import LEAST, Trial, enough, shown

SEED = os.environ.get("SEED") or "1"
COUNT = int(os.environ.get("COUNT") or 100)
JOBS = int(os.environ.get("JOBS") or os.cpu_count())


def spread(mutants, seed):
    """All of them in a random order in which every file has its turn before a file has its second."""
    chance = random.Random(seed)
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    piles = list(by_file.values())
    for pile in piles:
        chance.shuffle(pile)
    chance.shuffle(piles)
    for turn in range(max(map(len, piles))):
        yield from (pile[turn] for pile in piles if turn < len(pile))


def judge_all(trial, order, pool):
    """Judge until COUNT of them count. Returns (how many were caught, how many survived)."""
    caught = survived = 0
    while caught + survived < COUNT:
        batch = [m for m, _ in zip(order, range(COUNT - caught - survived))]
        if not batch:
            break
        for mutant, verdict in zip(batch, pool.map(trial.judge, batch)):
            caught += verdict == "caught"
            if verdict.startswith("survived"):
                survived += 1
                print(f"{verdict}: {shown(mutant)}", flush=True)
    return caught, survived


def try_project(pool):
    """Returns whether enough was caught."""
    started = time.monotonic()
    trial = Trial(PROJECT, pool)
    print(f"SEED={SEED}: {COUNT} of {len(trial.mutants)} changes in {len(trial.sources)} files", flush=True)
    measured = time.monotonic()
    caught, survived = judge_all(trial, spread(trial.mutants, SEED), pool)
    print(f"built and measured in {measured - started:.0f} s, judged in {time.monotonic() - measured:.0f} s")
    print(f"SEED={SEED}: {caught} caught, {survived} survived; expected {LEAST:.0%} caught")
    return enough(caught, survived)


def main():
    if "list" in sys.argv:
        for mutant, _ in zip(spread(all_mutants(PROJECT)[0], SEED), range(COUNT)):
            print(shown(mutant))
        return 0
    if os.geteuid():
        raise SystemExit("test-mutants: expected root, which shuts the mutants in, found another user")
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = [*check_machinery(pool), try_project(pool)]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return int(not all(results))


if __name__ == "__main__":
    sys.exit(main())
