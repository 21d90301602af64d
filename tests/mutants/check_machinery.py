"""Can this test fail? Its verdicts on the example, of which it is known what its tests notice."""

from build import EXAMPLE, chosen_functions
from trial import Trial, enough, one_line

EXPECTED = {
    "age < 6 ? 0 : 4  ->  age <= 6 ? 0 : 4": "caught",
    "age < 6 ? 0 : 4  ->  age >= 6 ? 0 : 4": "caught",
    "day % 7 < 7 ? day % 7 : 0  ->  day % 7 <= 7 ? day % 7 : 0": "same",
    "day % 7 < 7 ? day % 7 : 0  ->  day % 7 >= 7 ? day % 7 : 0": "caught",
    "number >= 10  ->  number > 10": "caught",
    "number >= 10  ->  number < 10": "caught",  # it never ends
    "price < 3  ->  price <= 3": "survived",
    "price < 3  ->  price >= 3": "caught",
    "day == 7  ->  day != 7": "survived (no test comes by)",
}


def verdicts_are_right(pool):
    trial = Trial(EXAMPLE, pool)
    changes = [f"{one_line(m.before)}  ->  {one_line(m.after)}" for m in trial.mutants]
    found = dict(zip(changes, pool.map(trial.judge, trial.mutants)))
    for change in EXPECTED.keys() | found.keys():
        if EXPECTED.get(change) != found.get(change):
            print(f"{EXAMPLE.rows}: {change}: expected {EXPECTED.get(change, 'no such change')}, found {found.get(change, 'none')}")
    return found == EXPECTED


def too_few_is_a_failure(_):
    return enough(90, 10) and enough(9, 1) and not enough(89, 11) and not enough(0, 0)


def a_name_that_is_gone_is_a_failure(_):
    for words in (["gone"], ["but", "gone"]):
        try:
            chosen_functions("example.c", "int there(void) { return 0; }", words)
            return False
        except SystemExit:
            pass
    return chosen_functions("example.c", "int there(void) { return 0; }", []) == {"there"}


def check_machinery(pool):
    """Returns for each of these whether it passed."""
    results = []
    for check in (verdicts_are_right, too_few_is_a_failure, a_name_that_is_gone_is_a_failure):
        results.append(check(pool))
        if not results[-1]:
            print(f"test-mutants: {check.__name__}: expected this of the machinery, found otherwise")
    return results
