"""Each fuzz target covers its parser, has a small corpus that is harmless, and finds a mistake planted in the parser."""

import os
import re
import resource
import shutil
import subprocess

import coverage
import pytest
from targets import HERE, TOP, read_plants, read_targets

TARGETS = read_targets()
PLANTS = read_plants()
BUILD = TOP / "build/fuzz"
FILES_MOST, BYTES_MOST = 200, 300 << 10
CPU_SECONDS = 60  # of processor time for one plant: how busy the machine is does not count
WALL_SECONDS = 1200
BROKEN = re.compile(r"promise broken: .*|runtime error: .*|ERROR: (?:AddressSanitizer|LeakSanitizer|libFuzzer): .*")

every_target = pytest.mark.parametrize("target", TARGETS)


def run(program, *arguments, **keywords):
    env = {**os.environ, "ASAN_OPTIONS": "symbolize=0", "TMPDIR": str(BUILD)}
    return subprocess.run([program, *arguments], cwd=TOP, env=env, timeout=WALL_SECONDS + 60, text=True,
                          errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **keywords)


def test_every_target_has_its_rows():
    programs = {path.name.removesuffix("_fuzz.c") for path in HERE.glob("*_fuzz.c")}
    assert programs == set(TARGETS) == set(PLANTS)
    assert programs == {path.name for path in (HERE / "corpus").iterdir()}


@every_target
def test_its_corpus_is_small_and_harmless(target):
    files = list((HERE / "corpus" / target).iterdir())
    assert 0 < len(files) <= FILES_MOST, f"{len(files)} inputs: make fuzz-corpus FUZZ_TARGETS={target}"
    assert sum(file.stat().st_size for file in files) <= BYTES_MOST
    answer = run(BUILD / "bin" / target, "-runs=0", f"-artifact_prefix={BUILD}/{target}-", *files)
    assert answer.returncode == 0, answer.stdout[-4000:]


@every_target
def test_its_corpus_covers_the_parser(target, tell):
    lines, reached, missed = coverage.measure(target, TARGETS[target])
    tell(coverage.row(target, TARGETS[target], lines, reached))
    assert coverage.percent(reached, lines) >= coverage.LEAST, f"lines that no input reaches: {missed}"


@every_target
def test_it_finds_a_planted_mistake(target, tell):
    work = BUILD / "finds" / target
    shutil.rmtree(work, ignore_errors=True)
    (work / "found").mkdir(parents=True)
    # Fixed seed: nearly the same inputs are tried every time. Long ones from the start, since libFuzzer otherwise
    # spends most of the minute on its way to a buffer's end.
    answer = run(BUILD / "planted" / target, "-seed=1", "-len_control=0", "-timeout=20",
                 f"-max_total_time={WALL_SECONDS}", f"-artifact_prefix={work}/", work / "found",
                 HERE / "corpus" / target,
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS)))
    found = BROKEN.search(answer.stdout)
    inputs = [file for file in work.iterdir() if file.is_file()]
    assert found and inputs, f"not found in {CPU_SECONDS} s of processor time:\n{answer.stdout[-1500:]}"
    tried = [int(number) for number in re.findall(r"^#(\d+)", answer.stdout, re.M)]
    tell(f"{target:16} found after {max(tried, default=0)} inputs: {found[0][:90]}")
    assert run(BUILD / "planted" / target, inputs[0]).returncode != 0
    # The mistake is what broke it, and nothing else.
    answer = run(BUILD / "bin" / target, inputs[0])
    assert answer.returncode == 0, answer.stdout[-4000:]
