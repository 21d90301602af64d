"""Would a test notice? Build, measure every test as written, then judge mutants one at a time."""

from build import all_mutants, build_all, is_the_same
from run_test import measure, run_test

LEAST = 0.9  # of those that count


def one_line(text):
    return " ".join(text.split())


def shown(mutant):
    return f"{mutant.file}:{mutant.line}: {one_line(mutant.before)}  ->  {one_line(mutant.after)}"


def enough(caught, survived):
    return caught >= LEAST * (caught + survived) > 0


class Trial:
    """mutants: those that compile."""

    def __init__(self, subject, pool):
        mutants, self.sources = all_mutants(subject)
        tests, broken = build_all(subject, mutants, self.sources, pool)
        self.mutants = [m for m in mutants if m.number not in broken]
        measured = pool.map(measure, tests)
        self.tests = sorted(((took, passes, test, seen) for test, (passes, took, seen) in zip(tests, measured)), key=lambda t: t[0])
        failing = [str(test) for _, passes, test, _ in self.tests if not passes]
        if failing:
            raise SystemExit(f"test-mutants: expected tests that pass as long as nothing is changed, found these failing: {' '.join(failing)}")

    def judge(self, mutant):
        """caught, survived or same. Only tests that come by the mutant can notice it; the fastest begins."""
        for took, _, test, seen in self.tests:
            if mutant.number in seen and not run_test(test, 10 + took, 30 + 20 * took, {"MUTANT": str(mutant.number)}):
                return "caught"
        if is_the_same(mutant, self.sources[mutant.file]):
            return "same"
        return "survived" if any(mutant.number in seen for _, _, _, seen in self.tests) else "survived (no test comes by)"
