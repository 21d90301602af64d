"""The unit tests once more, with all mutants of every source in them: one compilation and one link a file, whatever the seed.

Everything lands in build/mutants; what `make test-unit` has built is read and left alone.
"""

import collections
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from c_source import functions, tokens_of
from mutations import alone, mutants_of, with_choices

HERE = os.path.dirname(__file__)
BUILD = pathlib.Path("build/mutants")
MUTANTS_MOST = 65536  # as in mutant.h
CFLAGS = ["-w", "-Itests", *shlex.split(os.environ["MUTANT_CFLAGS"])]
LIBS = shlex.split(os.environ["MUTANT_LIBS"])
QUICK_LINK = ["-Wl,--strip-debug", *(["-fuse-ld=gold"] if shutil.which("ld.gold") else [])]

# What is tried: the list of functions, the sources of the library, the tests, and a name for the library.
Subject = collections.namedtuple("Subject", "rows sources tests name")
PROJECT = Subject(f"{HERE}/sources.list", os.environ["MUTANT_CHECK_SRC"].split(), os.environ["MUTANT_UNIT_SRC"].split(), "check")
EXAMPLE = Subject(f"{HERE}/example/sources.list", ["tests/mutants/example/ticket.c"], ["tests/mutants/example/ticket_test.c"], "example")


def chosen_functions(file, text, words):
    """Which of a file's functions its row names; a name that is not there would silently leave a function out."""
    there = {name for name, _ in functions(tokens_of(text))}
    without = words[:1] == ["but"]
    names = set(words[1:] if without else words)
    if names - there:
        raise SystemExit(f"test-mutants: {file}: expected the functions that sources.list names, found no {' '.join(sorted(names - there))}")
    return there - names if without or not names else names


def all_mutants(subject):
    """Every mutant by its number, and the text of the sources they are in."""
    found, sources = [], {}
    with open(subject.rows) as rows:
        for file, *words in (row.split() for row in rows if row.strip() and row[0] != "#"):
            sources[file] = pathlib.Path(file).read_text()
            found += mutants_of(file, sources[file], chosen_functions(file, sources[file], words), len(found))
    if len(found) > MUTANTS_MOST:
        raise SystemExit(f"test-mutants: expected at most {MUTANTS_MOST} changes, found {len(found)}: raise MUTANTS_MOST")
    return found, sources


def compiled(file):
    return BUILD / "obj" / pathlib.Path(file).with_suffix(".o")


def checked(file):
    return pathlib.Path("build/check") / pathlib.Path(file).with_suffix(".o")


def newer(target, *parts):
    return target.exists() and all(target.stat().st_mtime_ns > os.stat(p).st_mtime_ns for p in parts)


def run_compiler(file, text, out, *more):
    out.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", *CFLAGS, *more, "-iquote", os.path.dirname(file), "-x", "c", "-c", "-", "-o", str(out)]
    return subprocess.run(command, input=f'#line 1 "{file}"\n{text}', text=True, capture_output=True)


def is_compiled(file, text):
    out, of = compiled(file), compiled(file).with_suffix(".c")
    return newer(out, checked(file), f"{HERE}/mutant.h") and of.exists() and of.read_text() == text


def compile_one(file, source, mutants):
    """Compile it with every mutant in it that compiles; returns the numbers of the others. Messages name their lines."""
    left = mutants
    for _ in range(10):
        text = with_choices(source, left)
        if not is_compiled(file, text):
            result = run_compiler(file, text, compiled(file), "-include", os.path.join(HERE, "mutant.h"))
            if result.returncode:
                lines = {int(n) for n in re.findall(rf"^{re.escape(file)}:(\d+):\d+: error", result.stderr, re.MULTILINE)}
                left = [m for m in left if not lines & set(range(m.region.tokens[0].line, m.region.tokens[-1].line + 1))]
                continue
            compiled(file).with_suffix(".c").write_text(text)
        return {m.number for m in mutants} - {m.number for m in left}
    raise SystemExit(f"test-mutants: {file} does not compile: {result.stderr}")


def link_one(test, library):
    """One unit test; returns its path."""
    out = BUILD / "linked" / pathlib.Path(test).relative_to("tests").with_suffix("")
    main = BUILD / "mutant.o"
    if newer(out, checked(test), library, main):
        return out
    out.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", *QUICK_LINK, "-fsanitize=address,undefined", str(checked(test)), str(main), str(library), *LIBS]
    subprocess.run([*command, "-o", str(out)], check=True)
    return out


def build_all(subject, mutants, sources, pool):
    """Returns (paths of the tests, numbers of the mutants that do not compile)."""
    BUILD.mkdir(parents=True, exist_ok=True)
    of_file = {file: [m for m in mutants if m.file == file] for file in sources}
    broken = set().union(*pool.map(lambda f: compile_one(f, sources[f], of_file[f]), sources))
    main, library = BUILD / "mutant.o", BUILD / f"{subject.name}.a"
    if not newer(main, f"{HERE}/mutant.c", f"{HERE}/mutant.h"):
        subprocess.run(["gcc", "-O1", "-c", f"{HERE}/mutant.c", "-o", str(main)], check=True)
    objects = [str(compiled(f) if f in sources else checked(f)) for f in subject.sources]
    if not newer(library, *objects):
        library.unlink(missing_ok=True)
        subprocess.run(["ar", "rcsD", str(library), *objects], check=True)
    return list(pool.map(lambda t: link_one(t, library), subject.tests)), broken


def is_the_same(mutant, source):
    """Whether the optimiser makes the same code of it as of what was written: then no test could tell."""
    folder = BUILD / "same" / str(mutant.number)
    folder.mkdir(parents=True, exist_ok=True)
    codes = []
    for name, text in (("without", source), ("with", alone(source, mutant))):
        run_compiler(mutant.file, text, folder / name, "-O2", "-fno-sanitize=all")
        codes.append((folder / name).read_bytes())
    shutil.rmtree(folder)
    return codes[0] == codes[1]
