"""What tests/fuzz/targets and tests/fuzz/plants say."""

import pathlib

TOP = pathlib.Path(__file__).resolve().parents[2]
HERE = TOP / "tests/fuzz"


class Parser:
    """A file of a parser, and which of its functions count."""

    def __init__(self, word):
        self.file, _, functions = word.partition(":")
        self.leaves_out = functions.startswith("-")
        self.functions = set(functions.lstrip("-").split(",")) if functions else set()

    def counts(self, function):
        return not self.functions or (function in self.functions) != self.leaves_out


def read_targets():
    """{name: [Parser]}, in the order of the table."""
    targets, name = {}, None
    for line in (HERE / "targets").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if not line[0].isspace():
            name = words.pop(0)
            targets[name] = []
        targets[name] += [Parser(word) for word in words]
    return targets


class Plant:
    """A mistake for a target to find: one line of a file, before and after."""

    def __init__(self, file, before, after):
        self.file, self.before, self.after = file, before, after

    def text(self):
        text = (TOP / self.file).read_text()
        found = text.count(self.before + "\n")
        if found != 1:
            raise SystemExit(f"tests/fuzz/plants: {self.file}: expected this line once, found it {found} times: plant "
                             f"another mistake\n{self.before}")
        return f'#line 1 "{self.file}"\n' + text.replace(self.before + "\n", self.after + "\n")


def read_plants():
    """{target: Plant}"""
    plants, lines = {}, [line for line in (HERE / "plants").read_text().splitlines() if line and line[0] != "#"]
    for head, before, after in zip(lines[::3], lines[1::3], lines[2::3]):
        target, file = head.split()
        if before[0] != "-" or after[0] != "+" or target in plants:
            raise SystemExit(f"tests/fuzz/plants: {target}: expected a line with -, then one with +, and one plant")
        plants[target] = Plant(file, before[1:], after[1:])
    return plants
